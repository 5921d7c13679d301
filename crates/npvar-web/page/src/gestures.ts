// Pointers on the graph: a press selects, one that moves drags a node or the background, two fingers or Ctrl and the wheel
// zoom.

import type { Camera } from "./camera.ts";
import type { Edge } from "./document.ts";

/** A press that moves less than this selects; one that moves more drags. */
const STILL = 4;

/** What lies under a pointer. */
export interface Under {
  node: string | null;
  edge: Edge | null;
}

export interface Gestures {
  under: (target: EventTarget | null) => Under;
  hover: (event: PointerEvent) => void;
  /** A gesture is going on. */
  begun: () => void;
  drag: (node: string, dx: number, dy: number) => void;
  press: (on: Under) => void;
  leave: () => void;
}

export function listen(canvas: SVGSVGElement, camera: Camera, { under, hover, begun, drag, press: pressed, leave }: Gestures): void {
  const pointers = new Map<number, { x: number; y: number }>();
  let press: (Under & { x: number; y: number; moved: boolean }) | null = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    press = { ...under(event.target), x: event.clientX, y: event.clientY, moved: false };
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return hover(event);
    const now = { x: event.clientX, y: event.clientY };
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)![1];
      const spread = (at: { x: number; y: number }): number => Math.hypot(at.x - other.x, at.y - other.y);
      const box = canvas.getBoundingClientRect();
      camera.zoom(spread(now) / Math.max(1, spread(before)), { x: (now.x + other.x) / 2 - box.x, y: (now.y + other.y) / 2 - box.y });
    } else if (press && (press.moved || Math.hypot(now.x - press.x, now.y - press.y) > STILL)) {
      if (!press.moved) canvas.setPointerCapture(event.pointerId);
      press.moved = true;
      if (press.node === null) camera.pan(dx, dy);
      else drag(press.node, dx / camera.scale, dy / camera.scale);
    } else {
      return;
    }
    begun();
    pointers.set(event.pointerId, now);
  });
  const release = (event: PointerEvent): void => {
    pointers.delete(event.pointerId);
    if (event.type === "pointerup" && press && !press.moved) pressed(press);
    press = null;
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", leave);
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      camera.zoom(Math.exp(-event.deltaY / 300), { x: event.clientX - box.x, y: event.clientY - box.y });
    },
    { passive: false },
  );
}
