// The report of one run, put together: diagnostics first, then the graph and the evidence for it.

import { type Offer, comparisonSummary, controls } from "./controls.ts";
import { detail } from "./detail.ts";
import type { Diagnostic, Report } from "./document.ts";
import { copyButton, html, section, sentence, svg } from "./dom.ts";
import { exportsBar } from "./exports.ts";
import { GraphView } from "./graph-view.ts";
import { count, seconds, share } from "./numbers.ts";
import { replay } from "./replay.ts";
import { State } from "./state.ts";
import { edgeTable } from "./table.ts";

export function showReport(report: Report, others: Offer[] = []): HTMLElement {
  const state = new State(report);
  const view = new GraphView(state);
  const { truth, document } = report;
  const offers: Offer[] = [];
  if (truth) offers.push({ name: truth.name ?? "the truth", graph: () => truth });
  const consensus = document.bootstrap?.consensus;
  if (consensus) {
    const edges = consensus.map((pair) => ({ ...pair, kind: "directed" as const }));
    offers.push({ name: "the bootstrap consensus", graph: () => ({ nodes: document.nodes, edges }) });
  }
  offers.push(...others);
  const bar = controls(state, view, offers);
  const graph = section(
    "Graph",
    bar,
    comparisonSummary(state),
    html("div", { class: "stage" }, html("div", { class: "stage-left" }, view.element, legend(report), exportsBar(state, view)), detail(state)),
  );
  graph.classList.add("graph-section");
  const parts = [heading(report), diagnostics(report), graph, replay(state), edgeTable(state), stability(report), repeat(report)];
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
  const summary =
    warnings > 0
      ? `${count(warnings, "warning")}: read ${warnings === 1 ? "it" : "them"} before the graph.`
      : "No warning. That proves nothing about hidden common causes, cycles or dependent rows, which leave no trace in the result.";
  return section(
    "Should you believe it?",
    html("p", { class: warnings ? "verdict warning" : "verdict" }, summary),
    sorted.length ? html("ul", { class: "diagnostics" }, ...sorted.map(line)) : null,
  );
}

function legend({ document }: Report): HTMLElement {
  const parts = ["Drag nodes or the background; zoom with Ctrl and the wheel, two fingers, or + and −."];
  if (document.edges.some((edge) => edge.strength != null)) parts.push("Wider edges are stronger.");
  if (document.edges.some((edge) => edge.kind !== "directed")) parts.push("Lines without a head have no direction that the data could tell.");
  return html("p", { class: "quiet legend" }, parts.join(" "));
}

/** Where every node stood in the orders of the bootstrap samples. */
function stability({ document }: Report): HTMLElement | null {
  const { bootstrap } = document;
  if (!bootstrap?.positions) return null;
  const names = document.order ?? document.nodes;
  const [cell, left, top] = [Math.max(10, Math.min(30, 640 / names.length)), 110, 22];
  const places = Math.max(...Object.values(bootstrap.positions).map((shares) => shares.length));
  const chart = svg("svg", {
    class: "heat",
    viewBox: `0 0 ${left + cell * places + 4} ${top + cell * names.length + 4}`,
    role: "img",
    "aria-label": "How often each node stood at each position of the order",
  });
  chart.style.maxWidth = `${left + cell * places + 4}px`;
  for (let place = 0; place < places; place += 1) {
    if (cell >= 16 || place % 5 === 4) chart.append(svg("text", { x: left + (place + 0.5) * cell, y: top - 6, "text-anchor": "middle" }, String(place + 1)));
  }
  names.forEach((name, row) => {
    const label = [...name].length > 13 ? `${[...name].slice(0, 12).join("")}…` : name;
    chart.append(svg("text", { x: left - 8, y: top + (row + 0.5) * cell + 4, "text-anchor": "end" }, label));
    (bootstrap.positions![name] ?? []).forEach((value, place) => {
      const box = svg("rect", { x: left + place * cell + 0.5, y: top + row * cell + 0.5, width: cell - 1, height: cell - 1, rx: 2, "fill-opacity": Math.max(0.04, value) });
      box.append(svg("title", {}, `${name} at position ${place + 1}: ${share(value)}`));
      chart.append(box);
    });
  });
  return section(
    "How stable is the order?",
    html("p", { class: "quiet" }, `Rows are nodes in the learned order, columns positions; darker means more of the ${bootstrap.replicates} bootstrap samples. A frequency is not a probability of being right.`),
    html("div", { class: "scroll" }, chart),
  );
}

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
