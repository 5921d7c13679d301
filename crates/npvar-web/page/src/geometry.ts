// How the graph stands on the page: first where the program placed it, then where the reader moves it.
//
// Everything is computed along the layers (`u`) and across them (`v`); only `toUv` and `fromUv` know which way the page lies.

import { type Node, detour, isClear } from "./detour.ts";
import type { Box, Direction, Edge, Report } from "./document.ts";

const HEAD = 9;
/** Between the boxes of a column, and at least between two columns. */
const GAP = 14;
const CHANNEL = 90;

export interface Point {
  x: number;
  y: number;
}

export interface Picture {
  direction: Direction;
  /** Middles of the nodes. */
  at: Map<string, Point>;
  boxes: Map<string, Box>;
  /** The program's way of an edge round all other nodes: a point, then three for every piece of a Bézier curve. */
  curves: Map<Edge, Point[]>;
  /** How far from the middle of its two nodes' sides an edge ends. */
  offsets: Map<Edge, [number, number]>;
}

export interface Drawn {
  line: string;
  heads: string;
}

/** The graph as the program placed it. */
export function arrange({ document, places }: Report, arrangement: "paths" | "layers", direction: Direction): Picture {
  const { nodes, routes } = (places[arrangement] ?? places.paths)[direction];
  const at = new Map(document.nodes.map((name, i) => [name, { x: nodes[i]![0], y: nodes[i]![1] }]));
  const curves = new Map(document.edges.map((edge, i) => [edge, points(routes[i]!)]));
  const across = (point: Point): number => toUv(direction, point).v;
  const offset = (edge: Edge, curve: Point[]): [number, number] => [
    across(curve[0]!) - across(at.get(edge.from)!),
    across(curve.at(-1)!) - across(at.get(edge.to)!),
  ];
  return {
    direction,
    at,
    boxes: new Map(document.nodes.map((name, i) => [name, places.boxes[i]!])),
    curves,
    offsets: new Map([...curves].map(([edge, curve]) => [edge, offset(edge, curve)])),
  };
}

/** How large a way of laying the graph out is. */
export function extent({ places }: Report, arrangement: "paths" | "layers", direction: Direction): { width: number; height: number } {
  const { nodes } = (places[arrangement] ?? places.paths)[direction];
  const reach = (side: 0 | 1, size: "width" | "height"): number => {
    const ends = nodes.map((place, i) => [place[side] - places.boxes[i]![size] / 2, place[side] + places.boxes[i]![size] / 2] as const);
    return Math.max(0, ...ends.map(([, end]) => end)) - Math.min(0, ...ends.map(([begin]) => begin));
  };
  return { width: reach(0, "width"), height: reach(1, "height") };
}

/** One node in the middle, its parents before it and its children after it; only the edges that touch it. */
export function neighbourhood({ document, places }: Report, middle: string, edges: Edge[], direction: Direction): Picture {
  const boxes = new Map(document.nodes.map((name, i) => [name, places.boxes[i]!]));
  const columns: string[][] = [[], [middle], []];
  for (const { from, to, kind } of edges) {
    if (to === middle && kind === "directed") columns[0]!.push(from);
    else if (from === middle) columns[2]!.push(to);
    else if (to === middle) columns[2]!.push(from);
  }
  const at = new Map<string, Point>();
  const size = (name: string): Uv => toUv(direction, { x: boxes.get(name)!.width, y: boxes.get(name)!.height });
  let u = 0;
  for (const column of columns) {
    if (column.length === 0) continue;
    const thick = Math.max(...column.map((name) => size(name).u));
    let v = -column.reduce((sum, name) => sum + size(name).v + GAP, -GAP) / 2;
    for (const name of column) {
      at.set(name, fromUv(direction, { u: u + thick / 2, v: v + size(name).v / 2 }));
      v += size(name).v + GAP;
    }
    // Room for the edges of a long column to spread.
    u += thick + CHANNEL + Math.min(180, 6 * Math.max(columns[0]!.length, columns[2]!.length));
  }
  return { direction, at, boxes, curves: new Map(), offsets: new Map() };
}

function points(coordinates: number[]): Point[] {
  const found: Point[] = [];
  for (let i = 0; i < coordinates.length; i += 2) found.push({ x: coordinates[i]!, y: coordinates[i + 1]! });
  return found;
}

interface Uv {
  u: number;
  v: number;
}

const toUv = (direction: Direction, { x, y }: Point): Uv => (direction === "across" ? { u: x, v: y } : { u: y, v: x });
const fromUv = (direction: Direction, { u, v }: Uv): Point => (direction === "across" ? { x: u, y: v } : { x: v, y: u });
const write = ({ x, y }: Point): string => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** An edge with its arrowheads: the program's curve, or the reader's own. */
export function draw(picture: Picture, edge: Edge): Drawn {
  const curve = [...(picture.curves.get(edge) ?? clear(picture, edge))];
  let heads = "";
  if (["directed", "bidirected", "partially-directed"].includes(edge.kind)) heads += head(curve);
  if (edge.kind === "bidirected") {
    curve.reverse();
    heads += head(curve);
    curve.reverse();
  }
  return { line: `M${write(curve[0]!)} C${curve.slice(1).map(write).join(" ")}`, heads };
}

/** Straight where that meets no other node, else round them. */
function clear(picture: Picture, edge: Edge): Point[] {
  const { at, boxes } = picture;
  const node = (name: string): Node => ({ at: at.get(name)!, box: boxes.get(name)! });
  const others = [...at.keys()].filter((name) => name !== edge.from && name !== edge.to).map(node);
  const straight = direct(picture, edge);
  return isClear(straight, others) ? straight : (detour(node(edge.from), node(edge.to), others, HEAD) ?? straight);
}

/** From side to side, for an edge whose node was moved and for edges of other graphs: level for the length of a head. */
function direct({ direction, at, boxes, offsets }: Picture, edge: Edge): Point[] {
  const [from, to] = [toUv(direction, at.get(edge.from)!), toUv(direction, at.get(edge.to)!)];
  const half = (name: string): number => (direction === "across" ? boxes.get(name)!.width : boxes.get(name)!.height) / 2;
  const [fromOffset, toOffset] = offsets.get(edge) ?? [0, 0];
  const isBeside = Math.abs(to.u - from.u) < half(edge.from) + half(edge.to) + 3 * HEAD;
  // Side by side in a layer: out beyond both and back.
  const [out, back] = isBeside ? [1, 1] : [Math.sign(to.u - from.u), Math.sign(from.u - to.u)];
  const start = { u: from.u + out * half(edge.from), v: from.v + fromOffset };
  const end = { u: to.u + back * half(edge.to), v: to.v + toOffset };
  const [leave, meet] = [
    { u: start.u + out * HEAD, v: start.v },
    { u: end.u + back * HEAD, v: end.v },
  ];
  const middle = isBeside ? Math.max(leave.u, meet.u) + 32 : (leave.u + meet.u) / 2;
  const pieces = [start, leave, leave, { u: middle, v: leave.v }, { u: middle, v: meet.v }, meet, meet, end, end];
  return [start, ...pieces].map((point) => fromUv(direction, point));
}

/** An arrowhead at the end of a curve, whose last piece is straight and is shortened to begin in the head. */
function head(curve: Point[]): string {
  const last = curve.length - 1;
  const [tip, before] = [curve[last]!, curve[last - 3]!];
  const length = Math.hypot(tip.x - before.x, tip.y - before.y);
  const way = { x: (tip.x - before.x) / length, y: (tip.y - before.y) / length };
  const at = (back: number, aside: number): Point => ({ x: tip.x - back * way.x - aside * way.y, y: tip.y - back * way.y + aside * way.x });
  const notch = at(HEAD - 1.5, 0);
  curve.splice(last - 2, 3, before, notch, notch);
  return `M${write(at(HEAD, -4.2))} L${write(tip)} L${write(at(HEAD, 4.2))} L${write(notch)} Z `;
}
