// How the edges of one graph stand to those of another, by the names of the nodes.

import { type Edge, type Graph, pairKey } from "./document.ts";

/** `both`: the same edge; `turned`: the same pair, otherwise directed; `here`: only in the first graph. */
export type Verdict = "both" | "turned" | "here";

export interface Comparison {
  name: string;
  /** By the pair of nodes. */
  verdicts: Map<string, Verdict>;
  /** Edges of the other graph between nodes of this one that this one has not. */
  missing: Edge[];
  /** Edges of the other graph that are there, otherwise directed. */
  turned: Edge[];
  /** Nodes that only one of the graphs has. */
  unmatched: string[];
  counts: { both: number; turned: number; here: number; there: number };
}

export function compare(graph: Graph, other: Graph, name: string): Comparison {
  const here = new Map(graph.edges.map((edge) => [pairKey(edge.from, edge.to), edge]));
  const [mine, theirs] = [new Set(graph.nodes), new Set(other.nodes)];
  const there = new Map(
    other.edges.filter(({ from, to }) => mine.has(from) && mine.has(to)).map((edge) => [pairKey(edge.from, edge.to), edge]),
  );
  const same = (a: Edge, b: Edge): boolean => a.kind === b.kind && (a.kind !== "directed" || a.from === b.from);
  const verdicts = new Map<string, Verdict>();
  const turned: Edge[] = [];
  for (const [key, edge] of here) {
    const match = there.get(key);
    if (match && !same(edge, match)) turned.push(match);
    verdicts.set(key, !match ? "here" : same(edge, match) ? "both" : "turned");
  }
  const missing = [...there].filter(([key]) => !here.has(key)).map(([, edge]) => edge);
  const number = (verdict: Verdict): number => [...verdicts.values()].filter((found) => found === verdict).length;
  return {
    name,
    verdicts,
    missing,
    turned,
    unmatched: [...graph.nodes.filter((node) => !theirs.has(node)), ...other.nodes.filter((node) => !mine.has(node))],
    counts: { both: number("both"), turned: number("turned"), here: number("here"), there: missing.length },
  };
}
