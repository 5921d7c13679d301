// Every edge in a table that can be sorted; the way to the edges for those who do not point.

import { type Edge, arrow, edgeKey, edgeName, pairKey } from "./document.ts";
import { button, html, section } from "./dom.ts";
import { count, number, pValue, share } from "./numbers.ts";
import type { State } from "./state.ts";

const MOST_ROWS = 200;
/** Rows that are printed; the style sheet hides the others. */
const ON_PAPER = 25;

interface Row {
  edge: Edge;
  kept: boolean;
  edf: number | undefined;
}

interface Column {
  title: string;
  value: (row: Row) => string | number | null | undefined;
  cell: (row: Row) => Node | string;
  numeric?: boolean;
}

export function edgeTable(state: State): HTMLElement {
  const { document } = state.report;
  const tests = new Map((document.tests ?? []).map((test) => [edgeKey(test), test]));
  const kept = new Set(document.edges.map(edgeKey));
  const rows: Row[] = document.edges.map((edge) => ({ edge, kept: true, edf: tests.get(edgeKey(edge))?.edf }));
  const rejected: Row[] = [...tests.values()]
    .filter((test) => !kept.has(edgeKey(test)))
    .map(({ from, to, p_value, edf }) => ({ edge: { from, to, kind: "directed", p_value }, kept: false, edf }));
  const place = new Map((document.order ?? document.nodes).map((name, i) => [name, i]));
  let sorted: { by: number; down: boolean } | null = null;
  let whole = false;
  let withRejected = false;
  const table = html("table");
  const summary = html("p", { class: "quiet", "aria-live": "polite" });
  const more = html("p");

  const columns = (): Column[] => {
    const has = (field: "p_value" | "strength" | "frequency"): boolean => document.edges.some((edge) => edge[field] != null);
    const list: Column[] = [
      {
        title: "Edge",
        value: ({ edge }) => (place.get(edge.from) ?? 0) * 1e6 + (place.get(edge.to) ?? 0),
        cell: ({ edge, kept }) =>
          kept
            ? button(edgeName(edge), () => state.selectEdge(edge), { class: "link", "aria-label": `Show ${edge.from} ${arrow(edge.kind)} ${edge.to}` })
            : edgeName(edge),
      },
    ];
    const figure = (title: string, value: Column["value"], write: (value: number) => string): void => {
      list.push({ title, value, numeric: true, cell: (row) => (value(row) == null ? "" : write(value(row) as number)) });
    };
    if (has("p_value")) figure("p-value", ({ edge }) => edge.p_value, pValue);
    if (has("strength")) figure("Strength", ({ edge }) => edge.strength, number);
    if (tests.size) figure("Effective d.f.", ({ edf }) => edf, number);
    if (has("frequency")) figure("Bootstrap frequency", ({ edge }) => edge.frequency, share);
    const { comparison } = state;
    if (comparison) {
      const words = { both: "in both", turned: "other direction", here: "only here" };
      const standing = ({ edge, kept }: Row): string => (kept ? words[comparison.verdicts.get(pairKey(edge.from, edge.to)) ?? "here"] : "");
      list.push({ title: comparison.name, value: standing, cell: standing });
    }
    if (withRejected) list.push({ title: "Kept", value: ({ kept }) => (kept ? 0 : 1), cell: ({ kept }) => (kept ? "yes" : "no") });
    return list;
  };

  const draw = (): void => {
    const list = columns();
    const shown = [...rows.filter(({ edge }) => state.isShown(edge)), ...(withRejected ? rejected : [])];
    const { by, down } = sorted ?? { by: 0, down: false };
    const value = list[by]?.value ?? list[0]!.value;
    shown.sort((a, b) => {
      const [first, second] = [value(a), value(b)];
      if (first == null || second == null) return Number(first == null) - Number(second == null);
      const difference = typeof first === "number" && typeof second === "number" ? first - second : String(first).localeCompare(String(second));
      return down ? -difference : difference;
    });
    const head = list.map((column, at) => {
      const current = at === by;
      const sort = button(column.title, () => {
        sorted = { by: at, down: current ? !down : false };
        draw();
      });
      if (current) sort.append(html("span", { "aria-hidden": "true" }, down ? " ▾" : " ▴"));
      return html("th", { scope: "col", "aria-sort": current ? (down ? "descending" : "ascending") : "none", class: column.numeric ? "number" : "" }, sort);
    });
    const body = (whole ? shown : shown.slice(0, MOST_ROWS)).map((row) => {
      const cells = list.map((column) => html("td", { class: column.numeric ? "number" : "" }, column.cell(row)));
      return html("tr", { class: row.kept ? (row.edge === state.edge ? "selected" : "") : "rejected" }, ...cells);
    });
    table.replaceChildren(html("thead", {}, html("tr", {}, ...head)), html("tbody", {}, ...body));
    const hidden = rows.length - rows.filter(({ edge }) => state.isShown(edge)).length;
    summary.textContent = `${count(rows.length - hidden, "edge")} shown${hidden ? `, ${hidden} hidden by the limits above` : ""}${withRejected ? `, ${count(rejected.length, "pair")} tested and not kept` : ""}.`;
    more.replaceChildren(
      ...(shown.length > MOST_ROWS && !whole
        ? [
            button(`Show all ${shown.length} rows`, () => {
              whole = true;
              draw();
            }),
          ]
        : []),
    );
  };
  state.on((change) => {
    if (change === "limits" || change === "comparison" || change === "selection") draw();
  });
  draw();
  const toggle = html("input", { type: "checkbox" });
  toggle.addEventListener("change", () => {
    withRejected = toggle.checked;
    draw();
  });
  const rejectedToggle = rejected.length ? html("label", { class: "check" }, toggle, " Also the pairs that were tested and not kept") : null;
  return section("Edges", summary, rejectedToggle, html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of edges" }, table), more, rows.length > ON_PAPER ? html("p", { class: "quiet on-paper" }, `The first ${ON_PAPER} of ${rows.length} edges; the file has all.`) : null);
}
