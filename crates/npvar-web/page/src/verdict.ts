// What stands above every answer: a verdict in one sentence, and what was done to the table before.

import type { Intake, Verdict } from "./document.ts";
import { command, copyButton, html, sentence } from "./dom.ts";

const LEVELS = { believable: "Believable", "directions-doubtful": "Directions doubtful", "not-usable": "Not usable" };

/** One sentence, and what to do next. */
export function verdictLine({ level, sentence: words, next }: Verdict): HTMLElement {
  const name = LEVELS[level];
  // The sentence may begin with the verdict's own name.
  const rest = words.toLowerCase().startsWith(name.toLowerCase()) ? words.slice(name.length).replace(/^[\s:,.–—-]+/, "") : words;
  return html(
    "div",
    { class: `verdict-box ${level}` },
    html("p", {}, html("strong", {}, name), ": ", ...sentence(rest)),
    next ? html("div", { class: "next" }, html("span", { class: "quiet" }, "Next: "), command(next), copyButton(() => next, "the next command")) : null,
  );
}

/** What was done to the table before anything was learned from it. */
export function intakeList(intake: Intake[]): HTMLElement {
  const line = ({ column, did, why }: Intake): HTMLElement => html("li", {}, ...(column ? [html("code", {}, column), ": "] : []), ...sentence(did), ...(why ? [html("span", { class: "quiet" }, " (", ...sentence(why), ")")] : []));
  const list = html("ul", { class: "plain intake" }, ...intake.map(line));
  return intake.length > 4 ? html("details", {}, html("summary", {}, `How the table was read (${intake.length})`), list) : html("div", {}, html("h3", {}, "How the table was read"), list);
}
