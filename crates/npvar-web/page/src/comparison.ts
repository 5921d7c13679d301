// A comparison of learners on one page: which to believe, what each assumes, and the edges by their votes. Learners are
// switched on and off, and the graph shows those that are on.

import { type Placed, type Report, edgeName } from "./document.ts";
import { button, copyButton, freshId, html, section, sentence } from "./dom.ts";
import type { Colouring } from "./edge-colours.ts";
import { colourKeys } from "./edge-colours.ts";
import { GraphView } from "./graph-view.ts";
import { brief, count, seconds, share } from "./numbers.ts";
import { State } from "./state.ts";
import { intakeList, verdictLine } from "./verdict.ts";
import { type Assumption, type ComparedLearner, type Comparing, type ComparisonPage, type VotedEdge, backwards, voted } from "./votes.ts";

/** What the reader has chosen. */
interface Asked {
  learners: Set<string>;
  /** An edge is shown when so many of them join its columns. */
  least: number;
}

const VOTES: Colouring = {
  name: "votes",
  words: "share of the learners that join the two",
  steps: ["< 25 %", "≥ 25 %", "≥ 50 %", "≥ 75 %", "all"],
  step: ({ frequency }) => (frequency == null ? null : [0.25, 0.5, 0.75, 1].filter((limit) => frequency >= limit).length),
};

export function showComparison(page: ComparisonPage): HTMLElement {
  const { document } = page;
  const able = document.learners.filter(({ status }) => status === "learned").map(({ name }) => name);
  const asked: Asked = { learners: new Set(able), least: 1 };
  const [stage, table] = [html("div"), html("div")];
  const draw = (): void => {
    const edges = voted(document, asked.learners, asked.least);
    stage.replaceChildren(graph(page, edges, asked));
    table.replaceChildren(edgeVotes(document, edges));
  };
  const learners = learnerTable(document, asked, draw);
  const graphSection = section("Graph by votes", choices(document, able, asked, learners.all, draw), colourKeys(VOTES), stage);
  graphSection.classList.add("graph-section");
  draw();
  return html(
    "main",
    { class: "report comparison-page", id: "report" },
    heading(page),
    section("Which learner to believe?", verdictLine(document.verdict), notes(document), document.intake?.length ? intakeList(document.intake) : null),
    section("Learners", html("p", { class: "quiet" }, "Behind: nats by which the graph explains rows it has not seen worse than the best, with their standard error. Dependent: tests in which what is left over depends on parents or on what is left of another column."), learners.element),
    graphSection,
    section("Assumptions", assumptions(document.assumptions)),
    section("Edges by votes", table),
    section("Consensus", consensus(document)),
    section("Repeat this run", html("div", { class: "code" }, html("header", {}, html("h3", {}, "Command line"), copyButton(() => page.command, "command line")), html("pre", { tabindex: 0 }, html("code", {}, page.command)))),
  );
}

function heading({ title, document }: ComparisonPage): HTMLElement {
  const facts = [count(document.learners.length, "learner"), count(document.n, "sample"), count(document.nodes.length, "node")];
  return html("header", { class: "title" }, html("h1", {}, title), html("p", { class: "facts" }, ...facts.map((fact) => html("span", {}, fact))));
}

function notes({ diagnostics }: Comparing): HTMLElement | null {
  if (diagnostics.length === 0) return null;
  const line = ({ level, message, advice }: Comparing["diagnostics"][number]): HTMLElement =>
    html("li", { class: level }, html("strong", {}, level === "warning" ? "Warning" : "Note"), html("div", {}, html("p", {}, ...sentence(message)), advice ? html("p", { class: "advice" }, ...sentence(advice)) : null));
  return html("ul", { class: "diagnostics" }, ...diagnostics.map(line));
}

/** A row for every learner; those that found a graph can be switched off. */
function learnerTable({ learners, chosen }: Comparing, asked: Asked, changed: () => void): { element: HTMLElement; all: (on: boolean) => void } {
  const boxes: [string, HTMLInputElement][] = [];
  const set = (name: string, on: boolean): void => {
    if (on) asked.learners.add(name);
    else asked.learners.delete(name);
  };
  const row = (learner: ComparedLearner): HTMLElement => {
    const { name, status, held_out: held, residuals } = learner;
    const box = html("input", { type: "checkbox", "aria-label": `Show the votes of ${name}`, disabled: status !== "learned" });
    box.checked = asked.learners.has(name);
    box.addEventListener("change", () => {
      set(name, box.checked);
      changed();
    });
    if (status === "learned") boxes.push([name, box]);
    const state = name === chosen ? html("strong", { class: "chosen-word" }, "chosen") : status === "learned" ? "" : status;
    const cells = [
      held ? `${held.behind.toFixed(1)} ± ${held.error.toFixed(1)}` : "",
      residuals ? `${residuals.dependent} of ${residuals.tests}` : "",
      learner.edges ? String(learner.edges.length) : "",
      learner.seconds == null ? "" : seconds(learner.seconds),
    ];
    const about = html("details", {}, html("summary", {}, learner.assumes), html("p", {}, ...sentence(learner.sentence)));
    return html("tr", { class: name === chosen ? "selected" : "" }, html("td", {}, html("label", {}, box, " ", html("code", {}, name)), " ", state), ...cells.map((cell) => html("td", { class: "number" }, cell)), html("td", {}, about));
  };
  const head = ["Learner", "Behind", "Dependent", "Edges", "Time", "Assumes"].map((title, at) => html("th", { scope: "col", class: at > 0 && at < 5 ? "number" : "" }, html("span", {}, title)));
  const element = html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of learners" }, html("table", {}, html("thead", {}, html("tr", {}, ...head)), html("tbody", {}, ...learners.map(row))));
  const all = (on: boolean): void => {
    for (const [name, box] of boxes) {
      box.checked = on;
      set(name, on);
    }
    changed();
  };
  return { element, all };
}

/** How many votes an edge needs, and all learners at once. */
function choices({ voices }: Comparing, able: string[], asked: Asked, all: (on: boolean) => void, changed: () => void): HTMLElement {
  const id = freshId("least");
  const least = html("input", { type: "range", id, min: 1, max: Math.max(1, able.length), step: 1, value: 1 });
  const output = html("output", { for: id }, "1 vote");
  least.addEventListener("input", () => {
    asked.least = least.valueAsNumber;
    output.textContent = count(asked.least, "vote");
    changed();
  });
  return html(
    "div",
    { class: "toolbar" },
    html("div", { class: "group" }, html("label", { for: id }, "At least"), least, output),
    html("div", { class: "group" }, button("All learners", () => all(true)), button("None", () => all(false))),
    voices.length ? html("p", { class: "quiet" }, `Voices in the consensus: ${voices.join(", ")}.`) : null,
  );
}

/** The graph of the edges voted for, in the places that all edges have. */
function graph({ document, places, title }: ComparisonPage, edges: VotedEdge[], { learners }: Asked): HTMLElement {
  if (edges.length === 0) return html("p", { class: "quiet" }, "No edge has so many votes of the learners that are on.");
  const placed = ({ nodes, routes }: Placed): Placed => ({ nodes, routes: edges.map(({ index, turned }) => (turned ? backwards(routes[index]!) : routes[index]!)) });
  const own: Report = {
    format: "npvar-report/1",
    title,
    samples: document.n,
    document: { format: "npvar-graph/1", nodes: document.nodes, edges, diagnostics: [], learner: { algorithm: "" }, seed: document.seed, version: document.version },
    places: { boxes: places.boxes, paths: { across: placed(places.paths.across), down: placed(places.paths.down) }, layers: null },
    repeat: { command: "", python: "" },
  };
  const state = new State(own);
  state.colouring = VOTES;
  const view = new GraphView(state);
  const zoom = html("div", { class: "group zoom", role: "group", "aria-label": "Zoom" }, button("−", () => view.zoom(0.8), { "aria-label": "Zoom out" }), button("+", () => view.zoom(1.25), { "aria-label": "Zoom in" }), button("Fit", () => view.fit(), { "aria-label": "Fit the whole graph" }));
  view.element.append(zoom);
  const words = html("div", { class: "detail", "aria-live": "polite" });
  const tell = (): void => {
    const edge = state.edge as VotedEdge | null;
    words.replaceChildren(...(edge ? votesOf(document, edge, learners) : [html("p", { class: "quiet" }, state.node ? `${state.node}: the edges that touch it are lit.` : "Select an edge to see who votes for it.")]));
  };
  state.on(tell);
  tell();
  return html("div", { class: "stage" }, html("div", { class: "stage-left" }, view.element), html("div", { class: "stage-right" }, words));
}

const SAID: Record<string, string> = { absent: "no edge", undirected: "an edge without direction", bidirected: "an edge in both directions" };

function votesOf({ edges }: Comparing, edge: VotedEdge, asked: ReadonlySet<string>): HTMLElement[] {
  const { from, to, votes } = edges[edge.index]!;
  const said = (vote: string): string => (vote === "forward" ? `${from} → ${to}` : vote === "backward" ? `${to} → ${from}` : (SAID[vote] ?? vote));
  const lines = Object.entries(votes).filter(([name]) => asked.has(name));
  return [html("h3", {}, edgeName(edge)), html("p", { class: "quiet" }, `${share(edge.frequency ?? 0)} of the learners that are on join the two.`), html("dl", {}, ...lines.flatMap(([name, vote]) => [html("dt", {}, name), html("dd", {}, said(vote))]))];
}

const VERDICTS = { kept: "Kept", rejected: "Rejected", undecided: "Undecided" };

function assumptions(rows: Assumption[]): HTMLElement {
  const row = ({ name, verdict, nats, error, evidence }: Assumption): HTMLElement =>
    html("tr", {}, html("td", {}, name.replaceAll("-", " ")), html("td", {}, html("span", { class: `assessment ${verdict}` }, VERDICTS[verdict])), html("td", { class: "number" }, nats == null ? "" : `${brief(nats)}${error == null ? "" : ` ± ${brief(error)}`}`), html("td", {}, ...sentence(evidence)));
  const head = ["Assumption", "The data say", "Nats without it", "Evidence"].map((title, at) => html("th", { scope: "col", class: at === 2 ? "number" : "" }, html("span", {}, title)));
  return html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of assumptions" }, html("table", {}, html("thead", {}, html("tr", {}, ...head)), html("tbody", {}, ...rows.map(row))));
}

function edgeVotes(document: Comparing, edges: VotedEdge[]): HTMLElement {
  const sorted = [...edges].sort((a, b) => (b.frequency ?? 0) - (a.frequency ?? 0));
  const supports = new Map(document.consensus.map(({ from, to, support }) => [[from, to].sort().join("\u0000"), support]));
  const row = (edge: VotedEdge): HTMLElement => {
    const { so, reversed, either, absent } = edge.count;
    const [along, against] = edge.turned ? [reversed, so] : [so, reversed];
    const key = [edge.from, edge.to].sort().join("\u0000");
    const support = supports.has(key) ? (supports.get(key) == null ? "yes" : share(supports.get(key)!)) : "";
    return html("tr", {}, html("td", {}, edgeName(edge)), ...[along, against, either, absent].map((votes) => html("td", { class: "number" }, String(votes))), html("td", { class: "number" }, support));
  };
  const head = ["Edge", "So", "Reversed", "Either way", "Absent", "In the consensus"].map((title, at) => html("th", { scope: "col", class: at > 0 ? "number" : "" }, html("span", {}, title)));
  return html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of edges by votes" }, html("table", {}, html("thead", {}, html("tr", {}, ...head)), html("tbody", {}, ...sorted.map(row))));
}

function consensus({ consensus: edges, voices }: Comparing): HTMLElement {
  if (edges.length === 0) return html("p", {}, "The believable graphs have no edge in common.");
  const line = ({ from, to, kind, support }: Comparing["consensus"][number] & { kind?: string }): HTMLElement =>
    html("li", {}, edgeName({ from, to, kind: (kind ?? "directed") as "directed" }), support == null ? "" : html("span", { class: "quiet" }, ` (${share(support)} of ${count(voices.length, "voice")})`));
  return html("ul", { class: "plain" }, ...edges.map(line));
}
