// Beside the graph: everything known about the selected edge or node.

import { type Edge, arrow, edgeName, own, pairKey } from "./document.ts";
import { button, html } from "./dom.ts";
import { aboutEdge } from "./knowledge.ts";
import { brief, count, pValue, share } from "./numbers.ts";
import { effectPlot, variancePlot } from "./plot.ts";
import { type State, chosenAt } from "./state.ts";

type Fact = [string, string];

/** Less than this, and a direction is hardly more than a guess: the other one is likelier than one to twenty. */
const UNSURE_NATS = 3;

export function detail(state: State): HTMLElement {
  const element = html("aside", { class: "detail", "aria-label": "Selected edge or node", "aria-live": "polite" });
  const draw = (): void => {
    if (state.edge) element.replaceChildren(...edgeDetail(state, state.edge));
    else if (state.node !== null) element.replaceChildren(...nodeDetail(state, state.node));
    else element.replaceChildren(...nothing(state));
  };
  state.on((change) => {
    if (change === "selection" || change === "comparison") draw();
    element.classList.toggle("chosen", state.edge !== null || state.node !== null);
  });
  draw();
  return element;
}

function facts(list: Fact[]): HTMLElement {
  return html("dl", {}, ...list.flatMap(([name, value]) => [html("dt", {}, name), html("dd", {}, value)]));
}

function nothing(state: State): Node[] {
  const { document } = state.report;
  const strongest = [...document.edges].sort((a, b) => (b.strength ?? 0) - (a.strength ?? 0)).slice(0, 5);
  const ranked = strongest.some((edge) => edge.strength != null);
  return [
    html("h3", {}, "Select an edge or a node"),
    html("p", { class: "quiet" }, "Click one in the graph, or choose from the table of edges."),
    ...(ranked ? [html("h4", {}, "Strongest edges"), edgeList(state, strongest)] : []),
  ];
}

function edgeList(state: State, edges: Edge[]): HTMLElement {
  const line = (edge: Edge): HTMLElement =>
    html(
      "li",
      {},
      button(edgeName(edge), () => state.selectEdge(edge), { class: "link" }),
      edge.strength == null ? "" : html("span", { class: "quiet" }, ` ${brief(edge.strength)}`),
    );
  return html("ul", { class: "plain" }, ...edges.map(line));
}

function closing(state: State): HTMLElement {
  return button("Clear", () => state.selectNode(null), { class: "small" });
}

function edgeDetail(state: State, edge: Edge): Node[] {
  const { document, sample } = state.report;
  const test = document.tests?.find(({ from, to }) => from === edge.from && to === edge.to);
  const list: Fact[] = [];
  if (edge.p_value != null) list.push(["p-value", pValue(edge.p_value)]);
  if (edge.strength != null) list.push(["strength", brief(edge.strength)]);
  if (edge.weight != null) list.push(["weight", brief(edge.weight)]);
  if (edge.without_nats != null) list.push(["leaving it out costs", `${brief(edge.without_nats)} nats`]);
  if (edge.turned_nats != null) list.push(["turning it round costs", `${brief(edge.turned_nats)} nats`]);
  if (test) list.push(["F statistic", brief(test.statistic)], ["effective d.f.", brief(test.edf)]);
  const { bootstrap } = document;
  if (bootstrap) {
    const found = (from: string, to: string, kind: Edge["kind"]): number =>
      bootstrap.edges.find((other) => other.from === from && other.to === to && (other.kind ?? "directed") === kind)?.frequency ?? 0;
    const pair = pairKey(edge.from, edge.to);
    const joined = bootstrap.edges.filter((other) => pairKey(other.from, other.to) === pair).reduce((sum, other) => sum + other.frequency, 0);
    list.push(["bootstrap frequency", `${share(edge.frequency ?? found(edge.from, edge.to, edge.kind))} of ${bootstrap.replicates} samples`]);
    if (edge.kind === "directed") list.push(["the other way round", share(found(edge.to, edge.from, "directed"))]);
    list.push(["adjacent in any way", share(Math.min(1, joined))]);
  }
  const standing = state.comparison?.verdicts.get(pairKey(edge.from, edge.to));
  if (standing) {
    const words = { both: "has it too", turned: "has it with another direction", here: "does not have it" };
    list.push([state.comparison!.name, words[standing]]);
  }
  const curve = document.curves?.find(({ from, to }) => from === edge.from && to === edge.to);
  const plot = effectPlot(edge.from, edge.to, curve, own(sample?.columns, edge.from), own(sample?.columns, edge.to));
  const notes: string[] = [];
  if (edge.strength != null) notes.push(`Strength is the share of the variance of ${edge.to} that is lost when ${edge.from} is dropped.`);
  if (edge.kind === "undirected") notes.push("The data do not tell which way this edge goes.");
  if (edge.kind === "bidirected") {
    const hidden = document.learner.algorithm === "fci";
    notes.push(hidden ? "Neither causes the other: something that is not in the table joins them." : "The tests contradict each other about the direction of this edge.");
  }
  if (edge.kind.startsWith("part") || edge.kind === "undetermined") notes.push("At a circle the data do not tell whether the edge has a head: a hidden common cause may join the two.");
  if (curve) {
    const band = curve.lower && curve.upper ? ", with its band," : "";
    notes.push(`The line${band} is the effect of ${edge.from} in the fitted model of ${edge.to}, other parents held fixed; the dots are ${count(sample?.rows ?? 0, "row")} of the data.`);
    if (document.curve_model?.origin === "stand-in") notes.push("This learner fits no such model: an additive one was fitted to the graph it found.");
  } else if (plot) notes.push(`The dots are ${count(sample?.rows ?? 0, "row")} of the data; no curve was fitted.`);
  if (edge.turned_nats != null && edge.turned_nats < UNSURE_NATS) notes.push("Turning this edge round costs next to nothing: the data hardly tell which way it goes.");
  return [
    html("header", {}, html("h3", {}, html("span", {}, edge.from), ` ${arrow(edge.kind)} `, html("span", {}, edge.to)), closing(state)),
    ...(plot ? [plot] : []),
    facts(list),
    aboutEdge(state, edge),
    ...notes.map((note) => html("p", { class: "quiet" }, note)),
    html("p", {}, button(edge.from, () => state.selectNode(edge.from), { class: "link" }), " · ", button(edge.to, () => state.selectNode(edge.to), { class: "link" })),
  ];
}

function nodeDetail(state: State, name: string): Node[] {
  const { document } = state.report;
  const into = document.edges.filter((edge) => edge.kind === "directed" && edge.to === name);
  const out = document.edges.filter((edge) => edge.kind === "directed" && edge.from === name);
  const others = document.edges.filter((edge) => edge.kind !== "directed" && (edge.from === name || edge.to === name));
  const list: Fact[] = [];
  const place = document.order?.indexOf(name) ?? -1;
  if (place >= 0) list.push(["place in the order", `${place + 1} of ${document.order!.length}`]);
  const steps = document.steps ?? [];
  const variances = steps.map((step) => own(step.residual_variances, name)).filter((variance) => variance !== undefined);
  const last = steps.findIndex((_, step) => chosenAt(state.report, step).includes(name));
  const final = own(steps[last]?.residual_variances, name);
  if (final !== undefined) list.push(["final residual variance", brief(final)]);
  const error = own(steps[last]?.standard_errors, name);
  if (error != null) list.push(["standard error", brief(error)]);
  const part = (title: string, edges: Edge[]): Node[] =>
    edges.length ? [html("h4", {}, title), edgeList(state, edges)] : [];
  return [
    html("header", {}, html("h3", {}, name), closing(state)),
    facts(list),
    ...part(count(into.length, "parent"), into),
    ...part(`${out.length} ${out.length === 1 ? "child" : "children"}`, out),
    ...part(`${count(others.length, "edge")} without one direction`, others),
    ...(into.length + out.length + others.length === 0 ? [html("p", { class: "quiet" }, "No edge touches this node.")] : []),
    ...(variances.length > 1 ? [html("h4", {}, "What stays unexplained (residual variance) as the nodes before it are taken in"), variancePlot(name, variances)] : []),
  ];
}
