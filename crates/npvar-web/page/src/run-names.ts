// What tells runs apart, for lists and comparisons: what was asked for beyond the defaults, and the seed where nothing else does.

import type { Finished, RunRequest } from "./api.ts";
import { inWords } from "./knowledge.ts";
import { count } from "./numbers.ts";

function differences({ settings, columns, bootstrap, resampling, knowledge }: RunRequest): string[] {
  const known = inWords({ required: [], forbidden: [], tiers: [], ...knowledge });
  return [
    ...settings.map(({ key, value }) => `${key} ${String(value)}`),
    ...(columns.length ? [count(columns.length, "column")] : []),
    ...(bootstrap === null ? [] : [`bootstrap ${bootstrap}${resampling === "half" ? " of halves" : ""}`]),
    ...(known ? [known] : []),
  ];
}

const plain = ({ learner, title }: Finished): string => `${learner} on ${title}`;
const told = (run: Finished): string => [plain(run), ...(run.asked ? differences(run.asked) : [])].join(" · ");

/** A run among others. */
export function runName(run: Finished, among: Finished[]): string {
  const name = told(run);
  const twins = among.filter((other) => other.id !== run.id && told(other) === name);
  return twins.some(({ seed }) => seed !== run.seed) ? `${name} · seed ${run.seed}` : name;
}
