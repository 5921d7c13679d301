// The report of one run, put together: diagnostics first, then the graph and the evidence for it.

import { type Offer, comparisonSummary, controls } from "./controls.ts";
import { detail } from "./detail.ts";
import { type Bootstrap, type Diagnostic, type Edge, type GraphDocument, type Report, edgeKey, edgeName, own } from "./document.ts";
import { copyButton, html, section, sentence, svg } from "./dom.ts";
import { exportsBar } from "./exports.ts";
import { GraphView } from "./graph-view.ts";
import { type Knowledge, knowledgePanel } from "./knowledge.ts";
import { count, seconds, share } from "./numbers.ts";
import { replay } from "./replay.ts";
import { State } from "./state.ts";
import { edgeTable } from "./table.ts";
import { intakeList, verdictLine } from "./verdict.ts";

/** What a page can do that a file cannot: make the run again. */
export interface Workplace {
  /** Other graphs to compare with. */
  offers: Offer[];
  /** A form that makes the run again, with the knowledge that was said. */
  again: (state: State) => HTMLElement;
  /** What was known when this run was made. */
  knowledge: Partial<Knowledge> | null;
}

export function showReport(report: Report, workplace: Workplace | null = null): HTMLElement {
  const state = new State(report);
  Object.assign(state.knowledge, workplace?.knowledge ?? {});
  const view = new GraphView(state);
  const { truth, document } = report;
  const offers: Offer[] = [];
  if (truth) offers.push({ name: truth.name ?? "the truth", graph: () => truth });
  const consensus = document.bootstrap?.consensus;
  if (consensus) {
    const edges = consensus.map((pair) => ({ kind: "directed" as const, ...pair }));
    offers.push({ name: "the bootstrap consensus", graph: () => ({ nodes: document.nodes, edges }) });
  }
  offers.push(...(workplace?.offers ?? []));
  const bar = controls(state, view, offers);
  const order = replay(state);
  const graph = section(
    "Graph",
    bar,
    comparisonSummary(state),
    html(
      "div",
      { class: "stage" },
      html("div", { class: "stage-left" }, view.element, order?.bar, legend(report), exportsBar(state, view)),
      html("div", { class: "stage-right" }, detail(state), order?.bars),
    ),
    knowledgePanel(state, workplace ? () => workplace.again(state) : null),
  );
  graph.classList.add("graph-section");
  const parts = [heading(report), diagnostics(report), graph, edgeTable(state), stability(report), repeat(report)];
  return html("main", { class: "report", id: "report" }, ...parts);
}

function heading({ title, samples, document, note }: Report): HTMLElement {
  const facts = [
    document.learner.algorithm,
    samples === null ? "" : count(samples, "sample"),
    count(document.nodes.length, "node"),
    count(document.edges.length, "edge"),
    document.timing?.total_seconds === undefined ? "" : seconds(document.timing.total_seconds),
  ];
  return html(
    "header",
    { class: "title" },
    html("h1", {}, title),
    html("p", { class: "facts" }, ...facts.filter((fact) => fact !== "").map((fact) => html("span", {}, fact))),
    note ? html("p", { class: "note" }, ...sentence(note)) : null,
  );
}

function diagnostics({ document }: Report): HTMLElement {
  const line = ({ level, code, message, advice }: Diagnostic): HTMLElement =>
    html(
      "li",
      { class: level },
      html("strong", {}, level === "warning" ? "Warning" : "Note"),
      html("div", {}, html("p", {}, ...sentence(message)), advice ? html("p", { class: "advice" }, ...sentence(advice)) : null),
      html("code", { class: "code-name" }, code),
    );
  const sorted = [...document.diagnostics].sort((a, b) => Number(b.level === "warning") - Number(a.level === "warning"));
  const warnings = sorted.filter(({ level }) => level === "warning").length;
  const { verdict, intake } = document;
  const summary =
    warnings > 0
      ? `${count(warnings, "warning")}: read ${warnings === 1 ? "it" : "them"} before the graph.`
      : "No warning. That proves nothing about hidden common causes, cycles or dependent rows, which leave no trace in the result.";
  // With a verdict in one sentence the warnings behind it are folded away when they are many.
  const all = sorted.length ? html("ul", { class: "diagnostics" }, ...sorted.map(line)) : null;
  const reasons = verdict && sorted.length > UNFOLDED ? html("details", {}, html("summary", {}, `${count(warnings, "warning")} and ${count(sorted.length - warnings, "note")}`), all) : all;
  return section(
    "Should you believe it?",
    verdict ? verdictLine(verdict) : html("p", { class: warnings ? "verdict warning" : "verdict" }, summary),
    reasons,
    intake?.length ? intakeList(intake) : null,
  );
}

/** More diagnostics than these are folded below a verdict. */
const UNFOLDED = 3;

/** With more nodes than this, a graph is read part by part. */
const MANY = 60;

function legend({ document }: Report): HTMLElement {
  const parts = ["Drag nodes or the background; zoom with Ctrl and the wheel, two fingers, or + and −."];
  if (document.nodes.length > MANY) parts.push("To read a large graph, find a node and show only these: what it is joined to.");
  if (document.edges.some((edge) => edge.strength != null)) parts.push("Wider edges are stronger.");
  if (document.edges.some((edge) => edge.kind !== "directed")) parts.push("Lines without a head have no direction that the data could tell.");
  return html("p", { class: "quiet legend" }, parts.join(" "));
}

/** Edges outside the graph found at least this often are told. */
const OFTEN = 0.2;
/** How many of them at most. */
const MOST_TOLD = 12;

/** What the bootstrap samples say beyond the learned edges. */
function stability({ document }: Report): HTMLElement | null {
  const { bootstrap } = document;
  if (!bootstrap) return null;
  const drawn = bootstrap.resampling === "half" ? "each half of the rows" : "rows drawn with replacement";
  const failed = bootstrap.failed ? ` ${count(bootstrap.failed, "sample")} more could not be learned from.` : "";
  return section(
    "How stable is it?",
    html(
      "p",
      { class: "quiet" },
      `The learner was run again on ${count(bootstrap.replicates, "bootstrap sample")} (${drawn}).${failed} A frequency says how much an answer depends on which rows were drawn; it is not a probability of being right.`,
    ),
    ...unitsWarning(document),
    html("p", {}, outside(document, bootstrap)),
    heat(document, bootstrap),
  );
}

/** Warnings about the columns' scales, the most particular first. */
const SCALES = ["partly-standardised", "different-units", "standardised-data"];

/** Directions that follow the units are as stable as the units are: said where the frequencies would reassure. */
function unitsWarning({ diagnostics }: GraphDocument): HTMLElement[] {
  const found = SCALES.map((scale) => diagnostics.find(({ code, level }) => level === "warning" && code === scale)).find((one) => one !== undefined);
  return found ? [html("div", { class: "verdict-box directions-doubtful" }, html("p", {}, html("strong", {}, "These frequencies do not answer this: "), ...sentence(found.message)))] : [];
}

/** The edges that other samples would have shown. */
function outside(document: GraphDocument, bootstrap: Bootstrap): string {
  const known = new Set(document.edges.map((edge) => `${edgeKey(edge)}\u0000${edge.kind}`));
  const others = bootstrap.edges
    .map((edge): Edge & { frequency: number } => ({ kind: "directed", ...edge }))
    .filter((edge) => edge.frequency >= OFTEN && !known.has(`${edgeKey(edge)}\u0000${edge.kind}`))
    .sort((a, b) => b.frequency - a.frequency);
  if (others.length === 0) return `No edge outside the learned graph was found in ${share(OFTEN)} of the samples or more.`;
  const told = others.slice(0, MOST_TOLD).map((edge) => `${edgeName(edge)} (${share(edge.frequency)})`);
  const rest = others.length - told.length;
  return `Not in the learned graph, but found in ${share(OFTEN)} of the samples or more: ${told.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}.`;
}

/** Where every node stood in the orders of the bootstrap samples. */
function heat(document: GraphDocument, bootstrap: Bootstrap): HTMLElement | null {
  if (!bootstrap.positions) return null;
  const names = document.order ?? document.nodes;
  const word = bootstrap.position === "layer" && document.layers?.some((layer) => layer.length > 1) ? "layer" : "position";
  const longest = Math.max(...names.map((name) => [...name].length));
  const [cell, left, top] = [Math.max(12, Math.min(30, 640 / names.length)), Math.max(60, 7.4 * longest + 14), 22];
  const places = Math.max(...Object.values(bootstrap.positions).map((shares) => shares.length));
  const [width, height] = [left + cell * places + 4, top + cell * names.length + 4];
  const chart = svg("svg", { class: "heat", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `How often each node stood at each ${word} of the order` });
  for (let place = 0; place < places; place += 1) {
    if (cell >= 16 || place % 5 === 4) chart.append(svg("text", { x: left + (place + 0.5) * cell, y: top - 6, "text-anchor": "middle" }, String(place + 1)));
  }
  names.forEach((name, row) => {
    chart.append(svg("text", { x: left - 8, y: top + (row + 0.5) * cell + 4, "text-anchor": "end" }, name));
    (own(bootstrap.positions, name) ?? []).forEach((value, place) => {
      const box = svg("rect", { x: left + place * cell + 0.5, y: top + row * cell + 0.5, width: cell - 1, height: cell - 1, rx: 2, "fill-opacity": tint(value) });
      box.append(svg("title", {}, `${name} at ${word} ${place + 1}: ${share(value)}`));
      chart.append(box);
    });
  });
  const swatch = (value: number): HTMLElement => {
    const patch = svg("svg", { class: "swatch", width: 18, height: 14, "aria-hidden": "true" }, svg("path", { d: "M0 0h18v14h-18Z", "fill-opacity": tint(value) }));
    return html("span", {}, patch, ` ${share(value)} `);
  };
  const words = `Rows are nodes in the learned order, columns ${word}s; the colour is the share of the samples: `;
  return html("figure", {}, html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Heat map" }, chart), html("figcaption", { class: "quiet" }, words, ...[0, 0.25, 0.5, 0.75, 1].map(swatch)));
}

/** A share as a tint; none is still a place. */
const tint = (value: number): number => Math.max(0.05, value);

function repeat({ document, repeat }: Report): HTMLElement {
  const code = (title: string, text: string): HTMLElement =>
    html("div", { class: "code" }, html("header", {}, html("h3", {}, title), copyButton(() => text, title.toLowerCase())), html("pre", { tabindex: 0 }, html("code", {}, text)));
  const settings = JSON.stringify(document.learner, null, 2);
  const facts: [string, string][] = [
    ["version", `npvar ${document.version}`],
    ["format", document.format],
    ["seed", String(document.seed)],
  ];
  for (const [name, value] of Object.entries(document.timing ?? {})) facts.push([name.replace(/_seconds$/, " time").replaceAll("_", " "), seconds(value)]);
  return section(
    "Repeat this run",
    html("div", { class: "pair" }, code("Command line", repeat.command), code("Python", repeat.python)),
    html("details", {}, html("summary", {}, "All settings"), html("dl", { class: "wide" }, ...facts.flatMap(([name, value]) => [html("dt", {}, name), html("dd", {}, value)])), html("pre", { tabindex: 0 }, html("code", {}, settings))),
  );
}
