// Above the graph: search, limits, reach, comparison, zoom.

import { type Comparison, compare } from "./compare.ts";
import { type Edge, type Graph, edgeName } from "./document.ts";
import { button, freshId, html } from "./dom.ts";
import { colourKeys, colourings } from "./edge-colours.ts";
import { readGraph } from "./graph-files.ts";
import type { GraphView } from "./graph-view.ts";
import { brief, count, share } from "./numbers.ts";
import type { Reach, State } from "./state.ts";

const SLIDER_STEPS = 200;

/** A graph to compare with: known now, or fetched when chosen. */
export interface Offer {
  name: string;
  graph: () => Graph | Promise<Graph>;
  /** Compared with from the start. */
  atOnce?: boolean;
}

export function controls(state: State, view: GraphView, offers: Offer[]): HTMLElement {
  const sliders = [pSlider(state), strengthSlider(state), frequencySlider(state)].filter((slider) => slider !== null);
  const { document } = state.report;
  const { layers } = document;
  const grouped = layers?.some((layer) => layer.length > 1) ?? false;
  if (grouped) state.arrangement = "layers";
  const zoom = html(
    "div",
    { class: "group zoom", role: "group", "aria-label": "Zoom" },
    button("−", () => view.zoom(0.8), { "aria-label": "Zoom out" }),
    button("+", () => view.zoom(1.25), { "aria-label": "Zoom in" }),
    button("Fit", () => view.fit(), { "aria-label": "Fit the whole graph" }),
    fullScreen(view),
  );
  // In a corner of the graph, where it costs no line of its own.
  view.element.append(zoom);
  const rearranged = (set: (value: string) => void) => (value: string): void => {
    set(value);
    state.tell("arrangement");
  };
  const columns = layers
    ? choice("Columns", [["paths", "parents first"], ["layers", grouped ? "learned layers" : "learned order"]], state.arrangement, rearranged((value) => (state.arrangement = value as "paths" | "layers")))
    : null;
  const direction = choice("Runs", [["auto", "as it fits"], ["across", "across"], ["down", "down"]], state.direction, rearranged((value) => (state.direction = value as State["direction"])));
  const reach = choice(
    "Highlight",
    [["neighbours", "neighbours"], ["ancestors", "ancestors"], ["descendants", "descendants"], ["both", "both"]],
    state.reach,
    (value) => {
      state.reach = value as Reach;
      state.tell("reach");
    },
  );
  const joined = new Set(document.edges.flatMap(({ from, to }) => [from, to]));
  const isolated = document.nodes.filter((name) => !joined.has(name)).length;
  const checks = html(
    "div",
    { class: "group checks" },
    check("Only these", state, () => state.only, (on) => (state.only = on), "Show nothing but the selected node and what is highlighted around it"),
    isolated > 0 && isolated < document.nodes.length
      ? check(`Hide ${isolated} without edges`, state, () => state.withoutIsolated, (on) => (state.withoutIsolated = on), "Hide the nodes that no edge touches")
      : null,
  );
  return html(
    "div",
    { class: "controls" },
    html("div", { class: "toolbar" }, search(state, view), reach, checks, comparison(state, offers)),
    html("details", { class: "more-controls" }, html("summary", {}, "Limits, colours and layout"), html("div", { class: "toolbar" }, ...sliders, colours(state), columns, direction)),
  );
}

/** The graph and what belongs to it over the whole window; Escape or the button leaves. */
function fullScreen(view: GraphView): HTMLElement {
  const press = button("Full screen", () => set(!part().classList.contains("full")), { "aria-pressed": "false" });
  const part = (): Element => view.element.closest("section")!;
  const set = (on: boolean): void => {
    part().classList.toggle("full", on);
    document.documentElement.classList.toggle("under-full", on);
    press.setAttribute("aria-pressed", String(on));
    view.laidOut();
    // Where the browser lets a page take the screen, it does; the window is filled either way.
    if (on) document.documentElement.requestFullscreen?.().catch(() => undefined);
    else if (document.fullscreenElement) document.exitFullscreen().catch(() => undefined);
  };
  document.addEventListener("fullscreenchange", () => {
    if (!document.fullscreenElement && press.isConnected && part().classList.contains("full")) set(false);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && press.isConnected && part().classList.contains("full")) set(false);
  });
  return press;
}

function check(words: string, state: State, get: () => boolean, set: (on: boolean) => void, title: string): HTMLElement {
  const input = html("input", { type: "checkbox" });
  input.addEventListener("change", () => {
    set(input.checked);
    state.tell("arrangement");
  });
  state.on((change) => {
    if (change === "arrangement") input.checked = get();
  });
  return html("label", { class: "check", title }, input, ` ${words}`);
}

/** What the edges' colours say. */
function colours(state: State): HTMLElement | null {
  const known = colourings(state.report.document);
  if (known.length === 0) return null;
  const options: [string, string][] = [["", "agreement, where compared"], ...known.map(({ name, words }): [string, string] => [name, words])];
  return choice("Colour by", options, "", (value) => {
    state.colouring = known.find(({ name }) => name === value) ?? null;
    state.tell("colouring");
  });
}

function choice(label: string, options: [string, string][], value: string, changed: (value: string) => void): HTMLElement {
  const id = freshId("choice");
  const select = html("select", { id }, ...options.map(([key, words]) => html("option", { value: key, selected: key === value }, words)));
  select.addEventListener("change", () => changed(select.value));
  return html("div", { class: "group" }, html("label", { for: id }, label), select);
}

function search(state: State, view: GraphView): HTMLElement {
  const [id, listId] = [freshId("search"), freshId("names")];
  const { nodes } = state.report.document;
  const input = html("input", { id, type: "search", list: listId, placeholder: "name of a node", autocomplete: "off", spellcheck: "false" });
  const find = (exact: boolean): void => {
    const wanted = input.value.trim().toLowerCase();
    if (wanted === "") return;
    const found =
      nodes.find((node) => node.toLowerCase() === wanted) ?? (exact ? undefined : nodes.find((node) => node.toLowerCase().includes(wanted)));
    input.setCustomValidity(found === undefined && !exact ? "No node has this name" : "");
    if (found !== undefined) view.find(found);
    else if (!exact) input.reportValidity();
  };
  input.addEventListener("input", () => {
    input.setCustomValidity("");
    find(true);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") find(false);
  });
  const names = html("datalist", { id: listId }, ...nodes.map((node) => html("option", { value: node })));
  return html("div", { class: "group" }, html("label", { for: id }, "Find"), input, names);
}

/** A slider that hides edges, with what it says now. */
function limit(state: State, label: string, set: (at: number) => string, start: number, stops = SLIDER_STEPS): HTMLElement {
  const id = freshId("limit");
  const input = html("input", { id, type: "range", min: 0, max: stops, step: 1, value: start });
  const output = html("output", { for: id });
  const apply = (): void => {
    const words = set(input.valueAsNumber / stops);
    const shown = state.shownEdges().length;
    output.textContent = `${words} · ${count(shown, "edge")}`;
    input.setAttribute("aria-valuetext", `${words}, ${count(shown, "edge")} shown`);
  };
  input.addEventListener("input", () => {
    apply();
    state.tell("limits");
  });
  state.on((change) => {
    if (change === "limits") apply();
  });
  apply();
  return html("div", { class: "group slider" }, html("label", { for: id }, label), input, output);
}

/** Where people draw the line, the strictest first. */
const P_STOPS = [1e-300, 1e-100, 1e-30, 1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 0.01, 0.05];

function pSlider(state: State): HTMLElement | null {
  const values = state.report.document.edges.flatMap((edge) => (edge.p_value == null ? [] : [edge.p_value]));
  if (new Set(values).size < 2) return null;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  // A stop that would hide everything, or nothing, is none.
  const stops = P_STOPS.filter((stop) => stop >= least && (stop < most || stop === 0.05 || stop === 0.01 || stop === 1e-3 || stop === 1e-6));
  const set = (at: number): string => {
    const stop = stops[Math.round(at * stops.length)];
    state.limits.pValue = stop ?? Infinity;
    return stop === undefined ? "any" : `≤ ${stop < 1e-3 ? stop.toExponential(0) : stop}`;
  };
  return limit(state, "p-value", set, stops.length, stops.length);
}

function strengthSlider(state: State): HTMLElement | null {
  const values = state.report.document.edges.flatMap((edge) => (edge.strength == null ? [] : [edge.strength]));
  if (new Set(values).size < 2) return null;
  const most = Math.max(...values);
  const set = (at: number): string => {
    // Squared: most edges are weak, and that is where one wants to tell them apart.
    state.limits.strength = at === 0 ? -Infinity : most * at * at * (1 - 1e-9);
    return at === 0 ? "any" : `≥ ${brief(state.limits.strength)}`;
  };
  return limit(state, "Strength", set, 0);
}

function frequencySlider(state: State): HTMLElement | null {
  if (!state.report.document.edges.some((edge) => edge.frequency != null)) return null;
  const set = (at: number): string => {
    state.limits.frequency = at;
    return at === 0 ? "any" : `≥ ${share(at)}`;
  };
  return limit(state, "Bootstrap frequency", set, 0);
}

function comparison(state: State, offers: Offer[]): HTMLElement {
  const id = freshId("compare");
  const select = html(
    "select",
    { id },
    html("option", { value: "" }, "nothing"),
    ...offers.map(({ name }, i) => html("option", { value: i }, name)),
    html("option", { value: "file" }, "a graph file…"),
  );
  const chosenFirst = offers.findIndex(({ atOnce }) => atOnce);
  const file = html("input", { type: "file", accept: ".json,.csv,.dot,.gv,.graphml", hidden: true, "aria-label": "Graph file to compare with" });
  const set = (found: Comparison | null): void => {
    state.comparison = found;
    state.tell("comparison");
  };
  const fail = (problem: unknown): void => {
    select.value = "";
    set(null);
    state.report.document.nodes.length && notice(problem instanceof Error ? problem.message : String(problem));
  };
  const notes = html("p", { class: "problem", role: "alert", hidden: true });
  const notice = (words: string): void => {
    notes.textContent = words;
    notes.hidden = false;
  };
  select.addEventListener("change", () => {
    notes.hidden = true;
    if (select.value === "") set(null);
    else if (select.value === "file") file.click();
    else {
      const offer = offers[Number(select.value)]!;
      Promise.resolve(offer.graph()).then((graph) => set(compare(state.report.document, graph, offer.name)), fail);
    }
  });
  if (chosenFirst >= 0) {
    select.value = String(chosenFirst);
    const offer = offers[chosenFirst]!;
    Promise.resolve(offer.graph()).then((graph) => set(compare(state.report.document, graph, offer.name)), fail);
  }
  file.addEventListener("cancel", () => {
    if (!state.comparison) select.value = "";
  });
  file.addEventListener("change", () => {
    const chosen = file.files?.[0];
    file.value = "";
    if (!chosen) return;
    chosen
      .text()
      .then((text) => set(compare(state.report.document, readGraph(chosen.name, text), chosen.name)))
      .catch((problem: unknown) => fail(`${chosen.name}: ${problem instanceof Error ? problem.message : String(problem)}`));
  });
  return html("div", { class: "group" }, html("label", { for: id }, "Compare with"), select, file, notes);
}

/** What the comparison came to, in words and colours. */
export function comparisonSummary(state: State): HTMLElement {
  const element = html("div", { class: "comparison", "aria-live": "polite", hidden: true });
  state.on((change) => {
    if (change !== "comparison" && change !== "colouring") return;
    const found = state.comparison;
    element.hidden = found === null && state.colouring === null;
    if (!found) {
      element.replaceChildren(...(state.colouring ? [colourKeys(state.colouring)] : []));
      return;
    }
    const { both, turned, here, there } = found.counts;
    const key = (kind: string, words: string): HTMLElement => html("li", { class: `key ${kind}` }, words);
    const names = (edges: Edge[]): string => `${edges.slice(0, 12).map(edgeName).join(", ")}${edges.length > 12 ? ` and ${edges.length - 12} more` : ""}`;
    element.replaceChildren(
      ...(state.colouring ? [colourKeys(state.colouring)] : []),
      html(
        "ul",
        { class: state.colouring ? "keys uncoloured" : "keys" },
        key("both", `${count(both, "edge")} in both`),
        key("here", `${here} only here`),
        key("there", `${there} only in ${found.name}`),
        key("turned", `${turned} with another direction`),
      ),
      ...(found.missing.length ? [html("p", { class: "quiet" }, `Only in ${found.name}: ${names(found.missing)}`)] : []),
      ...(found.unmatched.length ? [html("p", { class: "problem" }, `Nodes that only one of the graphs has: ${found.unmatched.slice(0, 12).join(", ")}`)] : []),
    );
  });
  return element;
}
