// Graph files, written and read as the program does: adjacency CSV, DOT, GraphML, JSON.

import { KINDS, type Edge, type Graph, type Kind } from "./document.ts";

const quotedDot = (name: string): string => `"${name.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
// XML has no way to write most control characters: a name that holds one is written with their pictures, and exactly, as a
// JSON string, in an attribute of its own.
const UNWRITABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;
/** Text with pictures in place of the characters that XML has no way to write. */
export const writable = (text: string): string => text.replaceAll(new RegExp(UNWRITABLE, "g"), picture);
const picture = (char: string): string => (char < " " ? String.fromCharCode(0x2400 + char.charCodeAt(0)) : "\ufffd");
const escapedXml = (text: string): string =>
  writable(text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("\r", "&#13;"));
const quotedCsv = (name: string): string => (/[",\r\n]/.test(name) || name === "" ? `"${name.replaceAll('"', '""')}"` : name);

export function toDot(graph: Graph): string {
  const dir: Record<Kind, string> = {
    directed: "",
    undirected: " [dir=none]",
    bidirected: " [dir=both]",
    "partially-directed": " [dir=both, arrowtail=odot, arrowhead=normal]",
    undetermined: " [dir=both, arrowtail=odot, arrowhead=odot]",
    "partially-undirected": " [dir=both, arrowtail=odot, arrowhead=none]",
  };
  const nodes = graph.nodes.map((name) => `  ${quotedDot(name)};\n`);
  const edges = graph.edges.map((edge) => `  ${quotedDot(edge.from)} -> ${quotedDot(edge.to)}${dir[edge.kind]};\n`);
  return `digraph {\n${nodes.join("")}${edges.join("")}}\n`;
}

export function toGraphml(graph: Graph): string {
  const at = new Map(graph.nodes.map((name, i) => [name, i]));
  const exact = (name: string): string => (UNWRITABLE.test(name) ? `<data key="exact">${escapedXml(JSON.stringify(name))}</data>` : "");
  const nodes = graph.nodes.map((name, i) => `    <node id="n${i}"><data key="name">${escapedXml(name)}</data>${exact(name)}</node>\n`);
  const exactKey = graph.nodes.some((name) => UNWRITABLE.test(name))
    ? `  <key id="exact" for="node" attr.name="name-json" attr.type="string"/>\n`
    : "";
  const edges = graph.edges.map(
    ({ from, to, kind }) =>
      `    <edge source="n${at.get(from)}" target="n${at.get(to)}" directed="${kind === "directed" || kind === "partially-directed"}"><data key="kind">${kind}</data></edge>\n`,
  );
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n` +
    `  <key id="name" for="node" attr.name="name" attr.type="string"/>\n${exactKey}` +
    `  <key id="kind" for="edge" attr.name="kind" attr.type="string"/>\n  <graph edgedefault="directed">\n` +
    `${nodes.join("")}${edges.join("")}  </graph>\n</graphml>\n`
  );
}

// What stands at `from` and at `to`, each in the entry of its column: 2 an arrowhead, 3 a circle, 4 a tail; 1 an edge.
const ENTRIES: Record<Kind, [string, string]> = {
  directed: ["0", "1"],
  undirected: ["1", "1"],
  bidirected: ["2", "2"],
  "partially-directed": ["3", "2"],
  undetermined: ["3", "3"],
  "partially-undirected": ["3", "4"],
};

export function toCsv(graph: Graph): string {
  const at = new Map(graph.nodes.map((name, i) => [name, i]));
  const rows = graph.nodes.map(() => new Array<string>(graph.nodes.length).fill("0"));
  for (const { from, to, kind } of graph.edges) {
    const [a, b] = [at.get(from)!, at.get(to)!];
    [rows[b]![a], rows[a]![b]] = ENTRIES[kind];
  }
  return [graph.nodes.map(quotedCsv), ...rows].map((row) => `${row.join(",")}\n`).join("");
}

/** Reads a graph file; the ending of its name tells the format. */
export function readGraph(name: string, text: string): Graph {
  const ending = name.toLowerCase().split(".").at(-1);
  if (ending === "json") return fromJson(text);
  if (ending === "csv") return fromCsv(text);
  if (ending === "dot" || ending === "gv") return fromDot(text);
  if (ending === "graphml") return fromGraphml(text);
  throw new Error(`${name}: a graph is a .json, .csv, .dot or .graphml file`);
}

function fromJson(text: string): Graph {
  const found = JSON.parse(text) as Partial<Graph> | null;
  if (!found || !Array.isArray(found.nodes) || !Array.isArray(found.edges)) throw new Error("expected an object with `nodes` and `edges`");
  return checked({
    nodes: found.nodes.map(String),
    edges: found.edges.map((edge) => ({ from: String(edge.from), to: String(edge.to), kind: edge.kind ?? "directed" })),
  });
}

function fromCsv(text: string): Graph {
  const rows = csvRows(text);
  const first = rows[0];
  if (!first) throw new Error("expected an adjacency matrix, found nothing");
  let names = first;
  let body = rows.slice(1);
  if (rows.length === first.length && !/^[0-4]$/.test(first[0]!.trim())) {
    names = first.slice(1);
    body = body.map((row) => row.slice(1));
  } else if (rows.length === first.length) {
    names = first.map((_, i) => `X${i + 1}`);
    body = rows;
  }
  if (body.length !== names.length || body.some((row) => row.length !== names.length)) {
    throw new Error(`expected a header of names and as many rows as names; found ${names.length} names and ${body.length} rows`);
  }
  const edges: Edge[] = [];
  const entry = (i: number, j: number): number => {
    const value = Number(body[i]![j]);
    if (![0, 1, 2, 3, 4].includes(value)) throw new Error(`row ${i + 1}: an entry is 0 to 4, found ${body[i]![j]}`);
    return value;
  };
  names.forEach((from, i) =>
    names.forEach((to, j) => {
      if (i === j || entry(i, j) === 0) return;
      const [here, back] = [entry(i, j), entry(j, i)];
      const kind = KINDS.find((one) => ENTRIES[one][0] === `${back}` && ENTRIES[one][1] === `${here}`);
      const turned = KINDS.some((one) => ENTRIES[one][0] === `${here}` && ENTRIES[one][1] === `${back}`);
      if (!kind && !turned) throw new Error(`${from} and ${to} have the entries ${here} and ${back}, which are no edge`);
      if (kind && (i < j || !turned)) edges.push({ from, to, kind });
    }),
  );
  return checked({ nodes: names, edges });
}

function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/gy;
  for (let match = field.exec(text); match; match = field.exec(text)) {
    row.push(match[1] === undefined ? match[2]! : match[1].replaceAll('""', '"'));
    if (match[3] !== ",") {
      if (row.length > 1 || row[0] !== "") rows.push(row);
      row = [];
    }
    if (field.lastIndex >= text.length) break;
  }
  return rows;
}

function fromDot(text: string): Graph {
  const tokens = text.match(/"(?:\\.|[^"\\])*"|\/\/[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\/|->|--|[{}[\]=;,]|[^\s{}[\]=;,">-]+/g) ?? [];
  const words = tokens.filter((token) => !/^(\/\/|#|\/\*)/.test(token));
  const name = (token: string): string =>
    token.startsWith('"') ? token.slice(1, -1).replaceAll('\\"', '"').replaceAll("\\\\", "\\") : token;
  const body = words.slice(words.indexOf("{") + 1, words.lastIndexOf("}"));
  if (!words.includes("{")) throw new Error("expected a graph in braces");
  const nodes = new Set<string>();
  const edges: Edge[] = [];
  let i = 0;
  while (i < body.length) {
    if (body[i] === ";" || body[i] === ",") {
      i += 1;
      continue;
    }
    const chain = [body[i]!];
    const joints: string[] = [];
    i += 1;
    while (body[i] === "->" || body[i] === "--") {
      joints.push(body[i]!);
      chain.push(body[i + 1] ?? "");
      i += 2;
    }
    const look: Record<string, string> = {};
    const isAssignment = body[i] === "=";
    if (isAssignment) i += 2;
    if (body[i] === "[") {
      const end = body.indexOf("]", i);
      if (end < 0) throw new Error("a list of attributes is not closed");
      for (let at = i; at < end; at += 1) if (["dir", "arrowhead", "arrowtail"].includes(body[at]!)) look[body[at]!] = name(body[at + 2] ?? "");
      i = end + 1;
    }
    if (isAssignment || (joints.length === 0 && ["graph", "node", "edge"].includes(chain[0]!))) continue;
    const names = chain.map(name);
    names.forEach((one) => nodes.add(one));
    joints.forEach((joint, at) => {
      edges.push(drawnEdge([names[at]!, names[at + 1]!], look, look.dir ?? (joint === "--" ? "none" : "forward")));
    });
  }
  return checked({ nodes: [...nodes], edges });
}

/** An edge by the shapes of its ends. */
function drawnEdge([from, to]: [string, string], look: Record<string, string>, dir: string): Edge {
  const mark = (shape: string | undefined): string => (shape === "odot" ? "circle" : shape === "none" ? "tail" : "arrow");
  const tail = dir === "back" || dir === "both" ? mark(look.arrowtail) : "tail";
  const head = dir === "forward" || dir === "both" ? mark(look.arrowhead) : "tail";
  const kinds: Record<string, Kind> = {
    "tail arrow": "directed",
    "tail tail": "undirected",
    "arrow arrow": "bidirected",
    "circle arrow": "partially-directed",
    "circle circle": "undetermined",
    "circle tail": "partially-undirected",
  };
  const kind = kinds[`${tail} ${head}`];
  return kind ? { from, to, kind } : { from: to, to: from, kind: kinds[`${head} ${tail}`]! };
}

function fromGraphml(text: string): Graph {
  if (/<!DOCTYPE/i.test(text)) throw new Error("a document type definition is not read; leave `<!DOCTYPE …>` out");
  const xml = new DOMParser().parseFromString(text, "application/xml");
  if (xml.querySelector("parsererror")) throw new Error("not well-formed XML");
  const keys = (domain: string, names: string[]): string[] =>
    [...xml.getElementsByTagName("key")]
      .filter((key) => key.getAttribute("for") === domain && names.includes(key.getAttribute("attr.name") ?? ""))
      .map((key) => key.getAttribute("id") ?? "");
  const datum = (element: Element, wanted: string[]): string | undefined =>
    [...element.getElementsByTagName("data")].find((data) => wanted.includes(data.getAttribute("key") ?? ""))?.textContent ?? undefined;
  const [nameKeys, exactKeys, kindKeys] = [keys("node", ["name", "label"]), keys("node", ["name-json"]), keys("edge", ["kind"])];
  const byId = new Map<string, string>();
  for (const node of xml.getElementsByTagName("node")) {
    const id = node.getAttribute("id") ?? "";
    const exact = datum(node, exactKeys);
    byId.set(id, exact === undefined ? (datum(node, nameKeys) ?? id) : String(JSON.parse(exact)));
  }
  const directed = xml.getElementsByTagName("graph")[0]?.getAttribute("edgedefault") !== "undirected";
  const edges = [...xml.getElementsByTagName("edge")].map((edge): Edge => {
    const own = edge.getAttribute("directed");
    const kind = datum(edge, kindKeys) ?? ((own === null ? directed : own === "true") ? "directed" : "undirected");
    const end = (which: string): string => byId.get(edge.getAttribute(which) ?? "") ?? "";
    return { from: end("source"), to: end("target"), kind: kind as Kind };
  });
  return checked({ nodes: [...byId.values()], edges });
}

function checked(graph: Graph): Graph {
  const nodes = new Set(graph.nodes);
  for (const { from, to, kind } of graph.edges) {
    if (!nodes.has(from) || !nodes.has(to)) throw new Error(`an edge between ${from} and ${to}, which are not both nodes`);
    if (!KINDS.includes(kind)) throw new Error(`an edge of kind ${kind}`);
  }
  return graph;
}
