// What an edge's colour can say: one measure at a time, in five steps from weak to strong.

import type { Edge, GraphDocument } from "./document.ts";
import { html } from "./dom.ts";

export interface Colouring {
  name: string;
  words: string;
  /** What each of the five steps holds, the weakest first. */
  steps: [string, string, string, string, string];
  /** The step of an edge, or nothing where it has no such number. */
  step: (edge: Edge) => number | null;
}

type Field = "p_value" | "strength" | "frequency" | "turned_nats" | "without_nats";

/** Steps at limits of which an edge passes more the stronger it is. */
function by(name: string, words: string, field: Field, limits: number[], steps: Colouring["steps"], downwards = false): Colouring {
  const passes = (value: number, limit: number): boolean => (downwards ? value <= limit : value >= limit);
  return {
    name,
    words,
    steps,
    step: (edge) => {
      const value = edge[field];
      return value == null ? null : limits.filter((limit) => passes(value, limit)).length;
    },
  };
}

const ALL: [Field, Colouring][] = [
  ["p_value", by("p-value", "p-value", "p_value", [0.05, 0.01, 0.001, 1e-6], ["> 0.05", "≤ 0.05", "≤ 0.01", "≤ 0.001", "≤ 1e-6"], true)],
  ["strength", by("strength", "strength", "strength", [0.02, 0.05, 0.15, 0.4], ["< 0.02", "≥ 0.02", "≥ 0.05", "≥ 0.15", "≥ 0.4"])],
  ["frequency", by("frequency", "bootstrap frequency", "frequency", [0.5, 0.7, 0.9, 0.99], ["< 50 %", "≥ 50 %", "≥ 70 %", "≥ 90 %", "≥ 99 %"])],
  ["turned_nats", by("turned", "cost of turning it round", "turned_nats", [1, 3, 10, 30], ["< 1 nat", "≥ 1", "≥ 3", "≥ 10", "≥ 30"])],
  ["without_nats", by("without", "cost of leaving it out", "without_nats", [3, 10, 30, 100], ["< 3 nats", "≥ 3", "≥ 10", "≥ 30", "≥ 100"])],
];

/** Those for which the edges have numbers. */
export function colourings({ edges }: GraphDocument): Colouring[] {
  return ALL.filter(([field]) => edges.some((edge) => edge[field] != null)).map(([, colouring]) => colouring);
}

/** What the colours mean. */
export function colourKeys({ words, steps }: Colouring): HTMLElement {
  return html(
    "ul",
    { class: "keys", "aria-label": `Colours of the edges by ${words}` },
    html("li", {}, `Colour: ${words}`),
    ...steps.map((step, at) => html("li", { class: `key level-${at}` }, step)),
  );
}
