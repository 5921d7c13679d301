// What the reader knows: edges that must or cannot be, and columns that come before others. Collected by clicking, written
// as the file that `--knowledge` reads, and sent along when the run is made again.

import { type Edge, edgeName } from "./document.ts";
import { button, copyButton, freshId, html, save } from "./dom.ts";
import { count } from "./numbers.ts";
import type { State } from "./state.ts";

export type Pairs = [string, string][];

/** By names of columns; tiers are in their order, and hold only columns that were put there. */
export interface Knowledge {
  required: Pairs;
  forbidden: Pairs;
  tiers: string[][];
}

const same = (a: [string, string], b: [string, string]): boolean => a[0] === b[0] && a[1] === b[1];

export const isEmpty = ({ required, forbidden, tiers }: Knowledge): boolean => required.length + forbidden.length + tiers.flat().length === 0;

/** In words, for names of runs. */
export function inWords({ required, forbidden, tiers }: Knowledge): string {
  const parts = [
    ...required.map(([from, to]) => `${from} → ${to} must be`),
    ...forbidden.map(([from, to]) => `${from} → ${to} cannot be`),
    ...(tiers.flat().length ? [count(tiers.filter((tier) => tier.length > 0).length, "tier")] : []),
  ];
  return parts.length > 3 ? `${parts.slice(0, 2).join(", ")} and ${parts.length - 2} more` : parts.join(", ");
}

const quoted = (name: string): string => JSON.stringify(name);
const list = (names: string[]): string => `[${names.map(quoted).join(", ")}]`;

/** As the program reads it. */
export function toToml({ required, forbidden, tiers }: Knowledge): string {
  const pairs = (key: string, found: Pairs): string => (found.length ? `${key} = [${found.map(list).join(", ")}]\n` : "");
  const used = tiers.filter((tier) => tier.length > 0);
  return `${pairs("required", required)}${pairs("forbidden", forbidden)}${used.length ? `tiers = [${used.map(list).join(", ")}]\n` : ""}`;
}

/** Only what is not empty, as the server takes it. */
export function asked(knowledge: Knowledge): Partial<Knowledge> | null {
  if (isEmpty(knowledge)) return null;
  const tiers = knowledge.tiers.filter((tier) => tier.length > 0);
  return { required: knowledge.required, forbidden: knowledge.forbidden, ...(tiers.length ? { tiers } : {}) };
}

export type Say = "required" | "forbidden";

/** Says something about a pair; saying it again takes it back, and the opposite of it goes. */
export function say(state: State, what: Say, from: string, to: string): void {
  const { knowledge } = state;
  const pair: [string, string] = [from, to];
  const had = knowledge[what].some((other) => same(other, pair));
  for (const key of ["required", "forbidden"] as const) knowledge[key] = knowledge[key].filter((other) => !same(other, pair));
  if (what === "required") knowledge.required = knowledge.required.filter((other) => !same(other, [to, from]));
  if (!had) knowledge[what].push(pair);
  state.tell("knowledge");
}

export const isSaid = ({ knowledge }: State, what: Say, from: string, to: string): boolean => knowledge[what].some((pair) => same(pair, [from, to]));

/** Buttons beside an edge. */
export function aboutEdge(state: State, edge: Edge): HTMLElement {
  const choice = (words: string, what: Say, from: string, to: string): HTMLButtonElement => {
    const press = button(words, () => say(state, what, from, to), { class: "small", "aria-pressed": "false" });
    const mark = (): void => press.setAttribute("aria-pressed", String(isSaid(state, what, from, to)));
    mark();
    press.addEventListener("click", mark);
    return press;
  };
  const backwards = edge.kind === "directed" ? "It is the other way round" : `It goes ${edge.to} → ${edge.from}`;
  return html(
    "div",
    { class: "knowing", role: "group", "aria-label": `What you know about ${edgeName(edge)}` },
    html("span", { class: "quiet" }, "You know better?"),
    choice("This cannot be", "forbidden", edge.from, edge.to),
    choice("This must be", "required", edge.from, edge.to),
    choice(backwards, "required", edge.to, edge.from),
  );
}

/** Everything that was said, the tiers, and what to do with them. */
export function knowledgePanel(state: State, again: (() => HTMLElement) | null): HTMLElement {
  const said = html("ul", { class: "chips" });
  const none = html("p", { class: "quiet" }, "Select an edge and say that it must or cannot be, or put columns into tiers: no edge leads from a later tier to an earlier one.");
  const file = html("div", { class: "code" });
  const board = html("div", { class: "tiers", role: "group", "aria-label": "Tiers" });
  const panel = html("details", { class: "knowledge" }, html("summary", {}, "What you know"));
  const drop = (what: Say, [from, to]: [string, string]): HTMLElement =>
    html(
      "li",
      {},
      `${from} → ${to} ${what === "required" ? "must be" : "cannot be"}`,
      button("×", () => say(state, what, from, to), { class: "link", "aria-label": `Take back ${from} → ${to} ${what === "required" ? "must be" : "cannot be"}` }),
    );
  const draw = (): void => {
    const { knowledge } = state;
    const lines = [...knowledge.required.map((pair) => drop("required", pair)), ...knowledge.forbidden.map((pair) => drop("forbidden", pair))];
    said.replaceChildren(...lines);
    said.hidden = lines.length === 0;
    none.hidden = !isEmpty(knowledge);
    drawTiers(state, board);
    const text = toToml(knowledge);
    file.hidden = text === "";
    if (text) {
      panel.open = true;
      const copy = copyButton(() => toToml(state.knowledge), "knowledge.toml");
      const keep = button("Save", () => save("knowledge.toml", toToml(state.knowledge)), { "aria-label": "Save knowledge.toml" });
      const use = again ? null : html("p", { class: "quiet" }, "Save it, and add ", html("code", {}, "--knowledge knowledge.toml"), " to the command below.");
      file.replaceChildren(html("header", {}, html("h3", {}, "knowledge.toml"), html("span", { class: "group" }, copy, keep)), html("pre", { tabindex: 0 }, html("code", {}, text)), ...(use ? [use] : []));
    }
  };
  state.on((change) => {
    if (change === "knowledge") draw();
  });
  draw();
  panel.append(none, said, board, file, ...(again ? [again()] : []));
  return panel;
}

/** Columns by tier: dragged, or sent by the arrow keys. The first row holds those that may be anywhere. */
function drawTiers(state: State, board: HTMLElement): void {
  const { knowledge, report } = state;
  const tiers = knowledge.tiers;
  const placed = new Map(tiers.flatMap((names, tier) => names.map((name) => [name, tier] as const)));
  const put = (name: string, tier: number): void => {
    knowledge.tiers = knowledge.tiers.map((names) => names.filter((other) => other !== name));
    while (knowledge.tiers.length <= tier) knowledge.tiers.push([]);
    if (tier >= 0) knowledge.tiers[tier]!.push(name);
    while (knowledge.tiers.at(-1)?.length === 0) knowledge.tiers.pop();
    state.tell("knowledge");
    board.querySelector<HTMLElement>(`[data-column="${CSS.escape(name)}"]`)?.focus();
  };
  const card = (name: string, tier: number): HTMLElement => {
    const words = tier < 0 ? "any tier" : `tier ${tier + 1}`;
    const element = html("button", { type: "button", class: "column-card", draggable: "true", "data-column": name, "aria-label": `${name}, ${words}; arrow keys move it` }, name);
    element.addEventListener("dragstart", (event) => {
      event.dataTransfer?.setData("text/plain", name);
      if (event.dataTransfer) event.dataTransfer.effectAllowed = "move";
    });
    element.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      put(name, Math.max(-1, Math.min(tiers.length, tier + step)));
    });
    element.addEventListener("click", () => put(name, tier >= tiers.length ? -1 : tier + 1));
    return element;
  };
  const row = (title: string, tier: number, names: string[]): HTMLElement => {
    const id = freshId("tier");
    const place = html("div", { class: "tier", role: "group", "aria-labelledby": id }, html("span", { class: "tier-name", id }, title), ...names.map((name) => card(name, tier)));
    for (const kind of ["dragover", "dragleave", "drop"] as const) {
      place.addEventListener(kind, (event) => {
        event.preventDefault();
        place.classList.toggle("over", kind === "dragover");
        const name = event.dataTransfer?.getData("text/plain") ?? "";
        if (kind === "drop" && report.document.nodes.includes(name)) put(name, tier);
      });
    }
    return place;
  };
  const free = report.document.nodes.filter((name) => !placed.has(name));
  board.replaceChildren(
    row("Any", -1, free),
    ...tiers.map((names, tier) => row(`Tier ${tier + 1}${tier === 0 ? " (first)" : ""}`, tier, names)),
    row(tiers.length === 0 ? "Tier 1 (first)" : `Tier ${tiers.length + 1} (new)`, tiers.length, []),
    html("p", { class: "quiet" }, "Drag a column to a tier, or press it to send it one tier on; the arrow keys move it either way."),
  );
}
