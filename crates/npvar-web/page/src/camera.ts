// Which part of the graph is on show, and how large: panned, zoomed, fitted. Names are never made smaller than they can be
// read; from further away they are shown where they are asked for.

import type { Point } from "./geometry.ts";
import type { MiniMap } from "./mini-map.ts";

/** The size of a name's letters, and from one line of it to the next; the boxes are made for them. */
export const LETTERS = 14;
export const LINE = 16;
/** At a smaller scale names would be below 11 pixels: they are then shown for what is pointed at, in that size. */
export const READABLE = 11 / LETTERS;
/** A small graph is not blown up beyond this. */
export const MOST_FIT = 1.5;
const MOST_ZOOM = 4;
/** Between the graph and the window's edge. */
const MARGIN = 12;
/** And below it, where the buttons and the map are. */
export const FOOT = 44;

/** A part of the picture. */
export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

export class Camera {
  private view = { x: 0, y: 0, scale: 1 };

  /** Moves `viewport` within `canvas`, which fills `element`; `box` is what there is to see. */
  constructor(
    private readonly element: HTMLElement,
    private readonly canvas: SVGSVGElement,
    private readonly viewport: SVGGElement,
    private readonly map: MiniMap,
    private readonly box: () => Area,
  ) {}

  get scale(): number {
    return this.view.scale;
  }

  /** Pans as little as brings a node into the window. */
  reveal(at: Point, { width, height }: { width: number; height: number }): void {
    const { scale } = this.view;
    const slid = (begin: number, half: number, offset: number, room: number, after = MARGIN): number => {
      const [low, high] = [(begin - half) * scale + offset - MARGIN, (begin + half) * scale + offset + after];
      if (low < 0) return offset - low;
      return high > room ? offset - Math.min(high - room, low) : offset;
    };
    this.view.x = slid(at.x, width / 2, this.view.x, this.element.clientWidth);
    this.view.y = slid(at.y, height / 2, this.view.y, this.element.clientHeight, FOOT);
    this.move();
  }

  centre({ x, y }: Point): void {
    this.view.x = this.element.clientWidth / 2 - x * this.view.scale;
    this.view.y = this.element.clientHeight / 2 - y * this.view.scale;
    this.move();
  }

  pan(dx: number, dy: number): void {
    this.view.x += dx;
    this.view.y += dy;
    this.move();
  }

  /** Everything, however small. */
  fit(): void {
    this.show(this.whole());
  }

  /** Everything where its names can be read then, else as much as can be, around `focus`; by how much it does not fit is known. */
  begin(focus: (timesTooLarge: number) => Point | undefined): void {
    const whole = this.whole();
    const scale = Math.max(whole, READABLE);
    this.show(scale);
    if (scale === whole) return;
    const box = this.box();
    const { clientWidth, clientHeight } = this.element;
    const at = focus(scale / whole) ?? box;
    // The window does not leave the graph.
    const kept = (middle: number, begin: number, size: number, room: number): number =>
      size * scale <= room
        ? MARGIN + room / 2 - (begin + size / 2) * scale
        : Math.min(MARGIN - begin * scale, Math.max(MARGIN + room - (begin + size) * scale, MARGIN + room / 2 - middle * scale));
    this.view.x = kept(at.x, box.x, box.width, clientWidth - 2 * MARGIN);
    this.view.y = kept(at.y, box.y, box.height, clientHeight - MARGIN - FOOT);
    this.move();
  }

  private whole(): number {
    const box = this.box();
    const { clientWidth, clientHeight } = this.element;
    return Math.min((clientWidth - 2 * MARGIN) / box.width, (clientHeight - MARGIN - FOOT) / box.height, MOST_FIT);
  }

  private show(scale: number): void {
    const box = this.box();
    this.view.scale = scale;
    this.centre({ x: box.x + box.width / 2, y: box.y + box.height / 2 + (FOOT - MARGIN) / 2 / scale });
  }

  zoom(factor: number, at: Point = { x: this.element.clientWidth / 2, y: this.element.clientHeight / 2 }): void {
    const scale = Math.min(MOST_ZOOM, Math.max(0.05, this.view.scale * factor));
    const ratio = scale / this.view.scale;
    this.view = { scale, x: at.x - (at.x - this.view.x) * ratio, y: at.y - (at.y - this.view.y) * ratio };
    this.move();
  }

  /** Names can be read. */
  approach(): void {
    if (this.view.scale < READABLE) this.zoom(READABLE / this.view.scale);
  }

  /** Shows what was chosen. */
  move(): void {
    const { x, y, scale } = this.view;
    this.viewport.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${scale.toFixed(4)})`);
    this.canvas.classList.toggle("far", scale < READABLE - 1e-9);
    this.canvas.style.setProperty("--enlarged", (READABLE / scale).toFixed(3));
    const { clientWidth, clientHeight } = this.element;
    this.map.show({ x: -x / scale, y: -y / scale, width: clientWidth / scale, height: clientHeight / scale });
  }

  /** Paper holds the whole graph. */
  onPaper(begins: boolean): void {
    const { x, y, width, height } = this.box();
    if (begins) {
      this.canvas.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
      this.viewport.removeAttribute("transform");
      this.canvas.classList.remove("far");
    } else {
      this.canvas.removeAttribute("viewBox");
      this.move();
    }
  }
}
