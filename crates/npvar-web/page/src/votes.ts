// What the learners of a comparison say about two columns: who joins them, and which way most of those turn the edge.

import type { Edge, Intake, Pair, Places, Verdict } from "./document.ts";

export type Vote = "forward" | "backward" | "absent" | string;

export interface ComparedLearner {
  name: string;
  assumes: string;
  status: "learned" | "failed" | "skipped" | "stopped";
  seconds?: number | null;
  edges?: unknown[] | null;
  held_out?: { nats: number; behind: number; error: number } | null;
  residuals?: { tests: number; dependent: number; smallest_p_value?: number | null; clearest?: string | null } | null;
  sentence: string;
}

export interface Assumption {
  name: string;
  verdict: "kept" | "rejected" | "undecided";
  nats?: number | null;
  error?: number | null;
  evidence: string;
}

/** The `npvar-compare/1` object. */
export interface Comparing {
  format: string;
  verdict: Verdict;
  chosen?: string | null;
  nodes: string[];
  n: number;
  learners: ComparedLearner[];
  assumptions: Assumption[];
  edges: (Pair & { votes: Record<string, Vote> })[];
  consensus: (Pair & { support?: number | null })[];
  voices: string[];
  intake?: Intake[] | null;
  diagnostics: { level: "info" | "warning"; code: string; message: string; advice?: string | null }[];
  seed: number;
  version: string;
}

/** What the page of a comparison is given. */
export interface ComparisonPage {
  format: "npvar-comparison/1";
  title: string;
  document: Comparing;
  /** Where the program placed the columns, and an edge for every two that some learner joins. */
  places: Places;
  command: string;
}

/** How the learners that are asked stand to an edge, as it is written. */
export interface Count {
  so: number;
  reversed: number;
  /** Joined without one direction. */
  either: number;
  absent: number;
}

export function counted(votes: Record<string, Vote>, asked: ReadonlySet<string>): Count {
  const count: Count = { so: 0, reversed: 0, either: 0, absent: 0 };
  for (const [name, vote] of Object.entries(votes)) {
    if (!asked.has(name)) continue;
    if (vote === "forward") count.so += 1;
    else if (vote === "backward") count.reversed += 1;
    else if (vote === "absent") count.absent += 1;
    else count.either += 1;
  }
  return count;
}

/** An edge that enough of the learners asked for join, turned as most of them turn it. */
export interface VotedEdge extends Edge {
  /** Its place among the edges compared. */
  index: number;
  turned: boolean;
  count: Count;
}

export function voted({ edges }: Comparing, asked: ReadonlySet<string>, least: number): VotedEdge[] {
  const found: VotedEdge[] = [];
  edges.forEach(({ from, to, votes }, index) => {
    const count = counted(votes, asked);
    const { so, reversed, either, absent } = count;
    const joined = so + reversed + either;
    if (joined < Math.max(1, least)) return;
    const turned = reversed > so;
    const ends = turned ? { from: to, to: from } : { from, to };
    // Of as many votes for either direction none is shown.
    const kind = so === reversed ? "undirected" : "directed";
    found.push({ ...ends, kind, frequency: joined / (joined + absent), index, turned, count });
  });
  return found;
}

/** The way of an edge from its other end. */
export function backwards(route: number[]): number[] {
  const points: number[] = [];
  for (let at = route.length - 2; at >= 0; at -= 2) points.push(route[at]!, route[at + 1]!);
  return points;
}
