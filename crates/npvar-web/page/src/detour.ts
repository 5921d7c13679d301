// A way round other nodes for edges that the program did not place: those of a node that was moved, and of other graphs.

import type { Box } from "./document.ts";
import type { Point } from "./geometry.ts";

/** What an edge keeps from a box. */
const CLEAR = 4;
/** Points looked at on every piece of a curve. */
const LOOKED_AT = 16;
/** How far a way bends out at most, in steps of so many pixels. */
const [STEP, STEPS] = [28, 14];

export interface Node {
  at: Point;
  box: Box;
}

const mixed = (a: Point, b: Point, share: number): Point => ({ x: a.x + share * (b.x - a.x), y: a.y + share * (b.y - a.y) });

function on([a, b, c, d]: Point[], t: number): Point {
  const [ab, bc, cd] = [mixed(a!, b!, t), mixed(b!, c!, t), mixed(c!, d!, t)];
  return mixed(mixed(ab, bc, t), mixed(bc, cd, t), t);
}

/** The first part of a cubic curve. */
function until([a, b, c, d]: Point[], t: number): Point[] {
  const [ab, bc, cd] = [mixed(a!, b!, t), mixed(b!, c!, t), mixed(c!, d!, t)];
  const [abc, bcd] = [mixed(ab, bc, t), mixed(bc, cd, t)];
  return [a!, ab, abc, mixed(abc, bcd, t)];
}

const within = ({ x, y }: Point, { at, box }: Node, room: number): boolean =>
  Math.abs(x - at.x) < box.width / 2 + room && Math.abs(y - at.y) < box.height / 2 + room;

/** Whether a curve (a point, then three for every piece) meets none of these boxes. */
export function isClear(curve: Point[], others: Node[]): boolean {
  for (let piece = 0; piece + 3 < curve.length; piece += 3) {
    for (let i = 0; i <= LOOKED_AT; i += 1) {
      const point = on(curve.slice(piece, piece + 4), i / LOOKED_AT);
      if (others.some((other) => within(point, other, CLEAR))) return false;
    }
  }
  return true;
}

/** The flattest bend from one node to another that meets no other; its ends are straight for the length of a head. */
export function detour(from: Node, to: Node, others: Node[], head: number): Point[] | null {
  const [dx, dy] = [to.at.x - from.at.x, to.at.y - from.at.y];
  const length = Math.hypot(dx, dy) || 1;
  for (let step = 1; step <= STEPS; step += 1) {
    for (const side of [1, -1]) {
      const out = (side * step * STEP * 4) / 3;
      const bend = (share: number): Point => ({ x: from.at.x + share * dx - (out * dy) / length, y: from.at.y + share * dy + (out * dx) / length });
      const curve = cut([from.at, bend(0.2), bend(0.8), to.at], from, to, head);
      if (curve && isClear(curve, others)) return curve;
    }
  }
  return null;
}

/** The part of a curve between two boxes. */
function cut(curve: Point[], from: Node, to: Node, head: number): Point[] | null {
  const leaving = share((t) => !within(on(curve, t), from, 0), 0, 1);
  const meeting = share((t) => !within(on(curve, 1 - t), to, 0), 0, 1);
  if (leaving === null || meeting === null || leaving + meeting >= 1) return null;
  const backwards = until(curve, 1 - meeting).reverse();
  const between = until(backwards, (1 - meeting - leaving) / (1 - meeting)).reverse();
  const straight = (way: Point[]): Point[] | null => {
    const tip = way.at(-1)!;
    const t = share((t) => Math.hypot(on(way, 1 - t).x - tip.x, on(way, 1 - t).y - tip.y) >= head + 2, 0, 1);
    if (t === null) return null;
    const shorter = until(way, 1 - t);
    const end = shorter.at(-1)!;
    return [...shorter, end, tip, tip];
  };
  const last = straight(between);
  const first = last && straight([...last.slice(0, 4)].reverse());
  return last && first ? [...first.reverse(), ...last.slice(4)] : null;
}

/** The least share at which something begins to hold, where it does not hold before. */
function share(holds: (t: number) => boolean, low: number, high: number): number | null {
  const found = Array.from({ length: 41 }, (_, i) => low + ((high - low) * i) / 40).find(holds);
  if (found === undefined) return null;
  let [before, after] = [Math.max(low, found - (high - low) / 40), found];
  for (let i = 0; i < 12; i += 1) {
    const middle = (before + after) / 2;
    if (holds(middle)) after = middle;
    else before = middle;
  }
  return after;
}
