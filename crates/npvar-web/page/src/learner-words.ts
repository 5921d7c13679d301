// When to use which learner, and the few choices that most people make, in the words of the question rather than the method.

import type { Learner } from "./api.ts";
import type { Option } from "./form.ts";

const WHEN: Record<string, string> = {
  npvar: "a good first look: nonlinear effects, columns in common units",
  "best-order": "the most careful order: weighs all orders by evidence; own noise for columns in different units",
  cam: "nonlinear effects, any units",
  resit: "nonlinear effects with noise that does not depend on them; few columns",
  score: "nonlinear effects with Gaussian noise, many rows",
  das: "as score, for many columns with few parents each",
  nogam: "nonlinear effects with noise of any law; slow",
  caps: "linear and nonlinear effects together, columns in common units",
  eqvar: "linear effects, columns in common units; very fast",
  "direct-lingam": "linear effects, noise that is not Gaussian, any units; very fast",
  notears: "linear effects, columns in common units",
  "notears-mlp": "smooth effects with interactions, columns in common units; slow",
  gds: "few columns with equal noise",
  pc: "only what the data can tell: some edges stay without direction; any units",
  fci: "as pc, and common causes may be hidden: some edges stay without direction; any units",
  ges: "linear effects or categories; some edges stay without direction; any units",
  gsges: "effects and noise of any form; some edges stay without direction; slow",
  "var-sort-regress": "a check: how far the variances alone give the answer away",
  "r2-sort-regress": "a check: how far predictability alone gives the answer away",
};

/** A learner in a list: its name, and when to take it. */
export const described = ({ name, summary }: Learner): string => `${name}: ${WHEN[name] ?? summary}`;

/** A choice in plain words; each sets an option, or leaves it at its default. */
export interface Plain {
  question: string;
  key: string;
  choices: { words: string; value: unknown }[];
}

const value = (options: Option[], key: string): Option | undefined => options.find(({ name }) => name === key);

/** What decides which edges are kept, by the names that the learners have for it. */
const STRICTNESS = ["cutoff", "alpha", "false-discovery-rate"];

export function plainChoices({ options }: Learner): Plain[] {
  const found: Plain[] = [];
  const strict = STRICTNESS.map((key) => value(options, key)).find((option) => typeof option?.default === "number");
  if (strict) {
    const usual = strict.default as number;
    const [lenient, stern] = [Math.min(0.2, 10 * usual), Number((usual / 1000).toPrecision(3))];
    found.push({
      question: "How strict?",
      key: strict.name,
      choices: [
        { words: `lenient: more edges, more false ones (${lenient})`, value: lenient },
        { words: `usual (${usual})`, value: usual },
        { words: `strict: only what is beyond doubt (${stern})`, value: stern },
      ],
    });
  }
  for (const [key, slower] of [["estimator", "gp"], ["score", "gaussian-process"]] as const) {
    const option = value(options, key);
    if (!option) continue;
    const kinds = option.takes.type === "kinds" ? option.takes.kinds.map(({ name }) => name) : option.takes.type === "value" ? option.takes.words : [];
    const usual = option.takes.type === "kinds" ? (option.default as { kind: string }).kind : option.default;
    if (!kinds.includes(slower) || !["gam", "additive"].includes(String(usual))) continue;
    found.push({
      question: "May parents interact?",
      key,
      choices: [
        { words: "no: each acts on its own (fast)", value: usual },
        { words: "yes: they may act together (much slower)", value: slower },
      ],
    });
  }
  return found;
}
