// Reports made for the tests: with every optional field, large, without directions, with names that bite.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const template = readFileSync(new URL("../dist/report.html", import.meta.url), "utf8");

/** Writes a report as the program does. */
export function writeReport(folder, name, report) {
  const data = JSON.stringify(report).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const path = join(folder, name);
  writeFileSync(path, template.replace("{{npvar-data}}", () => data));
  return path;
}

/** The same numbers every time. */
export function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Nodes in columns, and edges straight from one to the other: places that any page can be tried with. */
function places({ nodes, edges, layers = null }) {
  const columns = Math.ceil(Math.sqrt(nodes.length));
  const lined = (column, turn) => {
    const counts = new Map();
    const at = nodes.map((name, i) => {
      const place = counts.get(column(name, i)) ?? 0;
      counts.set(column(name, i), place + 1);
      return turn([200 * column(name, i), 50 * place]);
    });
    const end = (name) => at[nodes.indexOf(name)];
    const straight = ([x, y], [u, v]) => [x, y, x, y, x + 0.2 * (u - x), y + 0.2 * (v - y), x + 0.2 * (u - x), y + 0.2 * (v - y), x, y, u, v, x + 0.8 * (u - x), y + 0.8 * (v - y), x + 0.8 * (u - x), y + 0.8 * (v - y), u, v, u, v];
    return { nodes: at, routes: edges.map(({ from, to }) => straight(end(from), end(to))) };
  };
  const bothWays = (column) => ({ across: lined(column, ([u, v]) => [u, v]), down: lined(column, ([u, v]) => [4 * v, u / 2]) });
  return {
    boxes: nodes.map((name) => ({ lines: [name], width: Math.min(180, 8 * name.length + 30), height: 30 })),
    paths: bothWays((_, i) => Math.floor(i / columns)),
    layers: layers && bothWays((name) => layers.findIndex((layer) => layer.includes(name))),
  };
}

const around = (document, more = {}) => ({
  format: "npvar-report/1",
  places: places(document),
  title: "made.csv",
  samples: 1000,
  document: {
    format: "npvar-graph/1",
    tests: null,
    order: null,
    layers: null,
    steps: null,
    diagnostics: [],
    learner: { algorithm: "npvar" },
    seed: 1,
    version: "0.1.0",
    ...document,
  },
  sample: null,
  truth: null,
  note: null,
  repeat: { command: "npvar learn made.csv --seed 1", python: "import npvar" },
  ...more,
});

/** A graph of `nodes` nodes and `edges` edges along an order. */
export function large(nodes, edges, named = (i) => `X${i + 1}`) {
  const next = random(1);
  const names = Array.from({ length: nodes }, (_, i) => named(i));
  const chosen = new Map();
  while (chosen.size < edges) {
    const [a, b] = [Math.floor(next() * nodes), Math.floor(next() * nodes)].sort((x, y) => x - y);
    if (a !== b) chosen.set(`${a},${b}`, { from: names[a], to: names[b], kind: "directed", p_value: 10 ** (-3 - 40 * next()), strength: next() * 0.5, frequency: null });
  }
  const steps = names.map((_, i) => ({ given: names.slice(0, i), eta: 0, residual_variances: Object.fromEntries(names.slice(i).map((name, j) => [name, 0.5 + 0.01 * j + 0.001 * next()])) }));
  return around({ nodes: names, edges: [...chosen.values()], order: names, layers: names.map((name) => [name]), steps });
}

/** Two layers of two, with bootstrap, curves, standard errors and advice. */
export function evidence() {
  const nodes = ["a", "b", "c", "d"];
  const pairs = [["a", "c", 1e-30, 0.4, 1], ["b", "c", 1e-8, 0.1, 0.75], ["c", "d", 1e-4, 0.02, 0.4]];
  const edges = pairs.map(([from, to, p_value, strength, frequency]) => ({ from, to, kind: "directed", p_value, strength, frequency }));
  const x = Array.from({ length: 60 }, (_, i) => -3 + i / 10);
  const curve = (from, to) => ({ from, to, x, fit: x.map(Math.sin), lower: x.map((v) => Math.sin(v) - 0.2), upper: x.map((v) => Math.sin(v) + 0.2) });
  const next = random(2);
  const column = () => Array.from({ length: 200 }, () => 6 * next() - 3);
  const a = column();
  return around(
    {
      nodes,
      edges,
      tests: [...edges.map(({ from, to, p_value }) => ({ from, to, p_value, statistic: 20, edf: 4.2 })), { from: "a", to: "d", p_value: 0.3, statistic: 1, edf: 1.1 }],
      order: nodes,
      layers: [["a", "b"], ["c"], ["d"]],
      steps: [
        { given: [], eta: 0.05, residual_variances: { a: 0.5, b: 0.52, c: 1.4, d: 2 }, standard_errors: { a: 0.02, b: 0.02, c: 0.05, d: 0.08 }, margin: { winner: "b", runner_up: "c", lead: 0.88, standard_error: 0.044 } },
        { given: ["a", "b"], eta: 0.05, residual_variances: { c: 0.51, d: 1.1 }, standard_errors: { c: 0.02, d: 0.05 } },
        { given: ["a", "b", "c"], eta: 0.05, residual_variances: { d: 0.49 }, standard_errors: { d: 0.02 } },
      ],
      diagnostics: [
        { level: "info", code: "few-valued", message: "column `d` has 5 values" },
        { level: "warning", code: "standardised-data", message: "all columns have variance 1", advice: "Use the data as they were measured." },
      ],
      bootstrap: {
        replicates: 200,
        edges: [
          ...edges.map(({ from, to, frequency }) => ({ from, to, kind: "directed", frequency })),
          { from: "d", to: "c", kind: "directed", frequency: 0.1 },
          { from: "b", to: "d", kind: "directed", frequency: 0.3 },
          { from: "a", to: "b", kind: "undirected", frequency: 0.25 },
        ],
        failed: 0,
        resampling: "with-replacement",
        position: "layer",
        positions: { a: [0.6, 0.4, 0, 0], b: [0.4, 0.6, 0, 0], c: [0, 0, 0.9, 0.1], d: [0, 0, 0.1, 0.9] },
        consensus: [{ from: "a", to: "c", kind: "directed" }, { from: "b", to: "c", kind: "directed" }],
      },
      curve_model: { origin: "learner", kind: "additive", smoothing: "fixed" },
      curves: [curve("a", "c"), curve("b", "c"), curve("c", "d")],
    },
    { sample: { rows: 200, columns: { a, b: column(), c: a.map((v) => Math.sin(v) + 0.3 * (next() - 0.5)), d: column() } } },
  );
}

/** What an answer of the best order says beside: a verdict, what was done to the table, the cost of turning edges. */
export function judged() {
  const report = evidence();
  report.document.edges.forEach((edge, at) => Object.assign(edge, { without_nats: 200 / (at + 1), turned_nats: [40, 5, 0.5][at] }));
  report.document.nodes.push("alone");
  report.document.diagnostics.push({ level: "warning", code: "different-units", message: "columns are in different units: `a` varies 86,000 times more than `b`", advice: "Use `--learner cam`." });
  Object.assign(report.document, {
    order: null,
    steps: null,
    layers: null,
    verdict: { level: "directions-doubtful", sentence: "Directions doubtful: the columns are in different units.", next: "npvar learn made.csv --learner cam" },
    intake: [{ column: "id", did: "left out", why: "row names" }, { column: null, did: "dropped 2 rows", why: "missing values" }],
  });
  return { ...report, places: places(report.document) };
}

/** What PC gives: no order, no steps, edges of every kind. */
export function equivalenceClass() {
  return around({
    nodes: ["a", "b", "c", "d"],
    edges: [
      { from: "a", to: "b", kind: "undirected" },
      { from: "b", to: "c", kind: "directed" },
      { from: "c", to: "d", kind: "bidirected" },
    ],
    learner: { algorithm: "pc" },
  });
}

/** The report with every optional field, its columns called as what every object inherits, and with a control character. */
export function inherited() {
  const names = { a: "constructor", b: "toString", c: "__proto__", d: "bell\u0007" };
  // Text, so that `__proto__` becomes a name like any other.
  const renamed = JSON.stringify(evidence()).replaceAll(/"([abcd])"/g, (_, name) => JSON.stringify(names[name]));
  return JSON.parse(renamed);
}

/** Names that would be markup, end a script, or be very long. */
export function biting() {
  const nodes = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "a very long name of a column that goes on and on", "ünïcode, \"quoted\""];
  return around(
    {
      nodes,
      edges: [{ from: nodes[0], to: nodes[1], kind: "directed" }, { from: nodes[2], to: nodes[3], kind: "directed" }],
      diagnostics: [{ level: "warning", code: "x", message: "<b>not bold</b>" }],
    },
    { title: "<script>alert(3)</script>" },
  );
}

/** Four learners that agree on one edge, and one that refused the table. */
export function comparison() {
  const nodes = ["a", "b", "c", "d"];
  const edges = [
    { from: "a", to: "b", votes: { cam: "forward", ges: "forward", npvar: "forward", pc: "forward" } },
    { from: "b", to: "c", votes: { cam: "forward", ges: "backward", npvar: "forward", pc: "absent" } },
    { from: "c", to: "d", votes: { cam: "absent", ges: "forward", npvar: "backward", pc: "absent" } },
  ];
  const learner = (name, more) => ({ name, learner: {}, assumes: `what ${name} assumes`, status: "learned", seconds: 0.2, edges: [], held_out: { nats: -400, behind: 3.2, error: 1.1 }, residuals: { tests: 6, dependent: 1, smallest_p_value: 0.002, clearest: null }, sentence: "`a` explains `b`.", ...more });
  const document = {
    format: "npvar-compare/1",
    verdict: { level: "directions-doubtful", sentence: "directions doubtful: `cam` fits best", next: "npvar learn t.csv --learner cam --seed 1" },
    chosen: "cam",
    nodes,
    n: 200,
    learners: [learner("cam"), learner("ges"), learner("npvar"), learner("pc", { held_out: null, residuals: null }), learner("resit", { status: "failed", edges: null, held_out: null, residuals: null, sentence: "It needs more rows." })],
    models: [],
    assumptions: [
      { name: "linear", verdict: "rejected", nats: 41.2, error: 6.3, evidence: "additive models explain unseen rows 41.2 nats better" },
      { name: "equal-variances", verdict: "undecided", evidence: "not looked at" },
    ],
    edges,
    consensus: [{ from: "a", to: "b", kind: "directed", support: 1 }],
    voices: ["cam", "npvar"],
    diagnostics: [],
    seed: 1,
    version: "0.1.0",
  };
  return { format: "npvar-comparison/1", title: "t.csv", document, places: places({ nodes, edges }), command: "npvar compare t.csv --seed 1" };
}
