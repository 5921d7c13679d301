// What a node and an edge look like, and what they are called for those who do not see them.

import { LETTERS, LINE } from "./camera.ts";
import { type Box, type Edge, pairKey, spokenEdge } from "./document.ts";
import { svg } from "./dom.ts";
import { count } from "./numbers.ts";
import type { State } from "./state.ts";

/** An edge without its way; wider where it is stronger, `other` where it is of the graph compared with alone. */
export function edgeShape(edge: Edge, other: boolean, state: State, dense: boolean): SVGGElement {
  const title = other ? `${spokenEdge(edge)}: only in ${state.comparison!.name}` : spokenEdge(edge);
  const width = (dense ? 0.6 : 1) * (edge.strength == null ? 1.8 : 1.2 + 3.4 * Math.sqrt(Math.min(1, Math.max(0, edge.strength))));
  return svg(
    "g",
    { class: `edge ${standing(edge, other, state)}` },
    svg("title", {}, title),
    svg("path", { class: "hit" }),
    svg("path", { class: "line", "stroke-width": width.toFixed(2) }),
    svg("path", { class: "head" }),
  );
}

/** What colours an edge: how it compares, or the measure that was chosen. */
function standing(edge: Edge, other: boolean, { comparison, colouring }: State): string {
  if (other) return "there";
  const step = colouring?.step(edge);
  if (colouring) return step == null ? "plain" : `level-${step}`;
  return comparison?.verdicts.get(pairKey(edge.from, edge.to)) ?? "plain";
}

/** How many edges of each kind a node has. */
export interface Ends {
  parents: number;
  children: number;
  undirected: number;
}

export function endsOf(nodes: string[], edges: Edge[]): Map<string, Ends> {
  const ends = new Map(nodes.map((name) => [name, { parents: 0, children: 0, undirected: 0 }]));
  for (const { from, to, kind } of edges) {
    if (kind === "directed") {
      ends.get(from)!.children += 1;
      ends.get(to)!.parents += 1;
    } else {
      ends.get(from)!.undirected += 1;
      ends.get(to)!.undirected += 1;
    }
  }
  return ends;
}

/** A node around its middle; one of them can be reached by the Tab key. */
export function nodeShape(name: string, { lines, width, height }: Box, { parents, children, undirected }: Ends, current: boolean): SVGGElement {
  const links = undirected ? `, ${count(undirected, "edge")} without direction` : "";
  return svg(
    "g",
    {
      class: "node",
      role: "button",
      tabindex: current ? 0 : -1,
      "data-node": name,
      "aria-label": `${name}: ${count(parents, "parent")}, ${children} ${children === 1 ? "child" : "children"}${links}`,
    },
    svg("title", {}, name),
    svg("rect", { x: -width / 2, y: -height / 2, width, height, rx: Math.min(12, height / 2) }),
    svg("text", { "text-anchor": "middle" }, ...lines.map((line, at) => svg("tspan", { x: 0, y: LETTERS * 0.34 + LINE * (at - (lines.length - 1) / 2) }, line))),
  );
}
