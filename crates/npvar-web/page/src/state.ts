// What the reader has chosen, shared by all parts of the page; each part draws itself anew when told.

import type { Comparison } from "./compare.ts";
import { type Direction, type Edge, type Report, edgeKey, pairKey } from "./document.ts";
import type { Colouring } from "./edge-colours.ts";
import type { Knowledge } from "./knowledge.ts";

export type Reach = "neighbours" | "ancestors" | "descendants" | "both";

export interface Limits {
  /** Edges with a larger p-value are hidden. */
  pValue: number;
  strength: number;
  frequency: number;
}

/** What changed, so that a part need not redraw for nothing. */
export type Change = "selection" | "limits" | "comparison" | "replay" | "reach" | "arrangement" | "colouring" | "knowledge";

export class State {
  readonly report: Report;
  limits: Limits = { pValue: Infinity, strength: 0, frequency: 0 };
  node: string | null = null;
  edge: Edge | null = null;
  reach: Reach = "neighbours";
  arrangement: "paths" | "layers" = "paths";
  /** Which way the layers follow each other; `auto` is what suits the shape of graph and window. */
  direction: Direction | "auto" = "auto";
  /** Nodes without any edge are left out. */
  withoutIsolated = false;
  /** Nothing but what is highlighted around the selected node. */
  only = false;
  colouring: Colouring | null = null;
  readonly knowledge: Knowledge = { required: [], forbidden: [], tiers: [] };
  comparison: Comparison | null = null;
  /** The step on show, or none while the replay is off. */
  step: number | null = null;
  private listeners: ((change: Change) => void)[] = [];

  constructor(report: Report) {
    this.report = report;
  }

  on(listener: (change: Change) => void): void {
    this.listeners.push(listener);
  }

  tell(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }

  selectNode(node: string | null): void {
    this.node = node;
    this.edge = null;
    this.tell("selection");
  }

  selectEdge(edge: Edge | null): void {
    this.edge = edge;
    this.node = null;
    this.tell("selection");
  }

  isShown(edge: Edge): boolean {
    const { pValue, strength, frequency } = this.limits;
    return (
      (edge.p_value ?? -Infinity) <= pValue &&
      (edge.strength ?? Infinity) >= strength &&
      (edge.frequency ?? Infinity) >= frequency
    );
  }

  shownEdges(): Edge[] {
    return this.report.document.edges.filter((edge) => this.isShown(edge));
  }
}

/** Nodes that can be reached over the shown edges; an undirected edge is followed either way by `neighbours` alone. */
export function reached(node: string, edges: Edge[], reach: Reach): Set<string> {
  const found = new Set([node]);
  if (reach === "neighbours") {
    for (const { from, to } of edges) {
      if (from === node) found.add(to);
      if (to === node) found.add(from);
    }
    return found;
  }
  const walk = (ends: (edge: Edge) => [string, string]): void => {
    const next = new Map<string, string[]>();
    for (const edge of edges) {
      if (edge.kind !== "directed") continue;
      const [here, there] = ends(edge);
      next.set(here, [...(next.get(here) ?? []), there]);
    }
    const waiting = [node];
    const seen = new Set(waiting);
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      for (const there of next.get(at) ?? []) {
        if (seen.has(there)) continue;
        seen.add(there);
        found.add(there);
        waiting.push(there);
      }
    }
  };
  if (reach !== "descendants") walk((edge) => [edge.to, edge.from]);
  if (reach !== "ancestors") walk((edge) => [edge.from, edge.to]);
  return found;
}

/** Which nodes a step of the order search moved into the next layer. */
export function chosenAt(report: Report, step: number): string[] {
  const steps = report.document.steps ?? [];
  const [now, next] = [steps[step], steps[step + 1]];
  if (!now) return [];
  const before = new Set(now.given);
  if (next) return next.given.filter((node) => !before.has(node));
  const variances = Object.entries(now.residual_variances);
  const least = Math.min(...variances.map(([, variance]) => variance));
  return variances.filter(([, variance]) => variance <= least + now.eta).map(([node]) => node);
}

export { edgeKey, pairKey };
