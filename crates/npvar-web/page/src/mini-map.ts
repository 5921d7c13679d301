// Where the part of a large graph that is on show lies in the whole; a press goes there. The keyboard has its own ways.

import type { Area } from "./camera.ts";
import { svg } from "./dom.ts";
import type { Picture, Point } from "./geometry.ts";

/** At most. */
const WIDTH = 140;
const HEIGHT = 96;

export class MiniMap {
  readonly element = svg("svg", { class: "mini-map", "aria-hidden": "true" });
  private readonly here = svg("rect", { class: "here-now" });
  private scale = 1;
  private whole: Area = { x: 0, y: 0, width: 1, height: 1 };

  /** `go` shows a point of the picture in the middle. */
  constructor(go: (to: Point) => void) {
    const press = (event: PointerEvent): void => {
      const box = this.element.getBoundingClientRect();
      go({ x: this.whole.x + (event.clientX - box.x) / this.scale, y: this.whole.y + (event.clientY - box.y) / this.scale });
      event.stopPropagation();
    };
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      press(event);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (event.buttons === 1) press(event);
    });
  }

  draw({ at, boxes }: Picture, whole: Area): void {
    this.whole = whole;
    this.scale = Math.min(WIDTH / whole.width, HEIGHT / whole.height);
    const dots = [...at].map(([name, { x, y }]) => {
      const { width, height } = boxes.get(name)!;
      return `M${x - width / 2} ${y - height / 2}h${width}v${height}h${-width}Z`;
    });
    this.element.setAttribute("viewBox", `${whole.x} ${whole.y} ${whole.width} ${whole.height}`);
    this.element.setAttribute("width", (whole.width * this.scale).toFixed(0));
    this.element.setAttribute("height", (whole.height * this.scale).toFixed(0));
    this.element.replaceChildren(svg("path", { class: "dots", d: dots.join("") }), this.here);
  }

  /** The part on show; the map is hidden while that is everything. */
  show(part: Area): void {
    const { x, y, width, height } = this.whole;
    const slack = 2;
    const all = part.x <= x + slack && part.y <= y + slack && part.x + part.width >= x + width - slack && part.y + part.height >= y + height - slack;
    this.element.toggleAttribute("hidden", all);
    for (const [name, value] of Object.entries(part)) this.here.setAttribute(name, (value as number).toFixed(1));
    this.here.setAttribute("stroke-width", (2 / this.scale).toFixed(1));
  }
}
