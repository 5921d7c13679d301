// From layers and heights to a picture: where nodes stand and how edges run, across the page or down it.
//
// Everything is computed along the layers (`u`) and across them (`v`); only `point` knows which way the page lies.

import type { Edge } from "./document.ts";
import { type Point, depths, place } from "./layout.ts";

export type Direction = "across" | "down";

export const NODE_HEIGHT = 30;
const HEAD = 9;
/** The least distance between the ends of two edges at a node. */
const PORT = 6;

export interface Picture {
  direction: Direction;
  names: string[];
  /** Middles of the nodes. */
  at: Map<string, Point>;
  widths: Map<string, number>;
  routes: Map<Edge, Point[]>;
}

export interface Drawn {
  line: string;
  heads: string;
  middle: Point;
}

export const nodeWidth = (label: string): number => Math.max(44, 8.2 * [...label].length + 24);
export const nodeLabel = (name: string): string => ([...name].length > 16 ? `${[...name].slice(0, 15).join("")}…` : name);

/** Lays out a graph whose columns are the longest paths, or the given layers. */
export function arrange(names: string[], edges: Edge[], layers: string[][] | null, direction: Direction): Picture {
  const index = new Map(names.map((name, i) => [name, i]));
  const pairs = edges.map(({ from, to }): [number, number] => [index.get(from)!, index.get(to)!]);
  let layerOf: number[];
  if (layers) {
    layerOf = names.map(() => 0);
    layers.forEach((layer, at) => layer.forEach((name) => (layerOf[index.get(name)!] = at)));
  } else {
    // Directed edges decide; the others only spread what is left.
    const sorted = pairs.filter((_, i) => edges[i]!.kind === "directed");
    layerOf = depths(names.length, [...sorted, ...pairs.filter((_, i) => edges[i]!.kind !== "directed")]);
  }
  const layout = place(layerOf, pairs);
  const widths = new Map(names.map((name) => [name, nodeWidth(nodeLabel(name))]));
  const widest = Math.max(...widths.values());
  const [along, across] = direction === "across" ? [widest + 84, NODE_HEIGHT + 18] : [NODE_HEIGHT + 58, widest + 14];
  const point = ({ x, y }: Point): Point => fromUv(direction, { u: x * along, v: y * across });
  return {
    direction,
    names,
    at: new Map(names.map((name, i) => [name, point(layout.nodes[i]!)])),
    widths,
    routes: new Map(edges.map((edge, i) => [edge, layout.routes[i]!.map(point)])),
  };
}

interface Uv {
  u: number;
  v: number;
}

const toUv = (direction: Direction, { x, y }: Point): Uv => (direction === "across" ? { u: x, v: y } : { u: y, v: x });
const fromUv = (direction: Direction, { u, v }: Uv): Point => (direction === "across" ? { x: u, y: v } : { x: v, y: u });

/** Every edge's offset from the middle of its two ends: edges on one side of a node are spread by where they lead. */
export function ports(picture: Picture, edges: Edge[]): Map<Edge, [number, number]> {
  const found = new Map<Edge, [number, number]>(edges.map((edge) => [edge, [0, 0]]));
  const sides = new Map<string, { edge: Edge; end: 0 | 1; towards: number }[]>();
  for (const edge of edges) {
    const route = points(picture, edge).map((point) => toUv(picture.direction, point));
    const last = route.length - 1;
    const add = (node: string, end: 0 | 1, here: Uv, next: Uv): void => {
      const side = `${node}\u0000${next.u >= here.u}`;
      sides.set(side, [...(sides.get(side) ?? []), { edge, end, towards: next.v }]);
    };
    add(edge.from, 0, route[0]!, route[1]!);
    add(edge.to, 1, route[last]!, route[last - 1]!);
  }
  for (const [side, ends] of sides) {
    const name = side.slice(0, side.indexOf("\u0000"));
    const room = picture.direction === "across" ? NODE_HEIGHT - 10 : picture.widths.get(name)! - 20;
    const spread = Math.min(PORT, room / Math.max(1, ends.length - 1));
    ends.sort((a, b) => a.towards - b.towards);
    ends.forEach(({ edge, end }, i) => (found.get(edge)![end] = (i - (ends.length - 1) / 2) * spread));
  }
  return found;
}

function points(picture: Picture, edge: Edge): Point[] {
  const [from, to] = [picture.at.get(edge.from)!, picture.at.get(edge.to)!];
  const route = picture.routes.get(edge);
  return route ? [from, ...route.slice(1, -1), to] : [from, to];
}

/** A smooth line that leaves and meets its nodes squarely. */
export function draw(picture: Picture, edge: Edge, [fromPort, toPort]: [number, number]): Drawn {
  const { direction } = picture;
  const route = points(picture, edge).map((point) => toUv(direction, point));
  const half = (name: string): number => (direction === "across" ? picture.widths.get(name)! / 2 : NODE_HEIGHT / 2);
  const last = route.length - 1;
  const [first, end] = [route[0]!, route[last]!];
  first.v += fromPort;
  end.v += toPort;
  const write = (point: Uv): string => {
    const { x, y } = fromUv(direction, point);
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  };
  const [backHead, frontHead] = [edge.kind === "bidirected", edge.kind !== "undirected"];
  const way = Math.sign(end.u - first.u);
  if (Math.abs(end.u - first.u) < half(edge.from) + half(edge.to) + 2 * HEAD) {
    // Side by side in a layer: out beyond both and back.
    const out = Math.max(first.u + half(edge.from), end.u + half(edge.to)) + 42;
    const start = { u: first.u + half(edge.from) + (backHead ? HEAD : 0), v: first.v };
    const stop = { u: end.u + half(edge.to) + (frontHead ? HEAD : 0), v: end.v };
    return {
      line: `M${write(start)} C${write({ u: out, v: first.v })} ${write({ u: out, v: end.v })} ${write(stop)}`,
      heads: (frontHead ? head(stop, -1, write) : "") + (backHead ? head(start, -1, write) : ""),
      middle: fromUv(direction, { u: out - 10, v: (first.v + end.v) / 2 }),
    };
  }
  first.u += way * (half(edge.from) + (backHead ? HEAD : 0));
  end.u -= way * (half(edge.to) + (frontHead ? HEAD : 0));
  let line = `M${write(first)}`;
  for (let i = 0; i < last; i += 1) {
    const [a, b] = [route[i]!, route[i + 1]!];
    const reach = (b.u - a.u) / (last === 1 ? 2 : 2.6);
    const leave = { u: a.u + reach, v: a.v + reach * slope(route, i) };
    const meet = { u: b.u - reach, v: b.v - reach * slope(route, i + 1) };
    line += ` C${write(leave)} ${write(meet)} ${write(b)}`;
  }
  const [left, right] = [route[Math.floor(last / 2)]!, route[Math.ceil(last / 2)]!];
  return {
    line,
    heads: (frontHead ? head(end, way, write) : "") + (backHead ? head(first, -way, write) : ""),
    middle: fromUv(direction, { u: (left.u + right.u) / 2, v: (left.v + right.v) / 2 }),
  };
}

/** An arrowhead whose tip is `HEAD` beyond its base. */
function head(base: Uv, way: number, write: (point: Uv) => string): string {
  const tip = { u: base.u + way * HEAD, v: base.v };
  const back = base.u - way * 1.5;
  return `M${write({ u: back, v: base.v - 4.2 })} L${write(tip)} L${write({ u: back, v: base.v + 4.2 })} L${write({ u: base.u, v: base.v })} Z `;
}

/** Flat at the ends and where the line turns, so that it never swings past a bend. */
function slope(route: Uv[], at: number): number {
  const [before, here, after] = [route[at - 1], route[at]!, route[at + 1]];
  if (!before || !after) return 0;
  const [falling, next] = [(here.v - before.v) / (here.u - before.u), (after.v - here.v) / (after.u - here.u)];
  return falling * next <= 0 || !Number.isFinite(falling * next) ? 0 : (2 * falling * next) / (falling + next);
}
