// How the graph stands on the page: first where the program placed it, then where the reader moves it.
//
// Everything is computed along the layers (`u`) and across them (`v`); only `toUv` and `fromUv` know which way the page lies.

import type { Box, Direction, Edge, Report } from "./document.ts";

const HEAD = 9;

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
  const curve = [...(picture.curves.get(edge) ?? direct(picture, edge))];
  let heads = "";
  if (edge.kind !== "undirected") heads += head(curve);
  if (edge.kind === "bidirected") {
    curve.reverse();
    heads += head(curve);
    curve.reverse();
  }
  return { line: `M${write(curve[0]!)} C${curve.slice(1).map(write).join(" ")}`, heads };
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
