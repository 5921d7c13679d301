// The graph as a picture of its own: what is shown, in the colours of paper.

import type { Area } from "./camera.ts";
import { svg } from "./dom.ts";
import { writable } from "./graph-files.ts";

const MARGIN = 16;

/** An SVG file of these layers, which cover this area. */
export function pictureOf(title: string, { x, y, width, height }: Area, layers: SVGGElement[]): string {
  const whole = { x: x - MARGIN, y: y - MARGIN, width: width + 2 * MARGIN, height: height + 2 * MARGIN };
  const copy = svg("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: `${whole.x.toFixed(1)} ${whole.y.toFixed(1)} ${whole.width.toFixed(1)} ${whole.height.toFixed(1)}`,
    width: whole.width.toFixed(0),
    height: whole.height.toFixed(0),
    role: "img",
    "font-family": "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif",
  });
  copy.append(svg("title", {}, title), svg("style", {}, PAPER), svg("rect", { class: "paper", ...whole }));
  copy.append(...layers.map((layer) => layer.cloneNode(true)));
  copy.querySelectorAll(".hidden, .hit").forEach((element) => element.remove());
  for (const element of copy.querySelectorAll("[tabindex], [aria-pressed], [aria-label]")) {
    for (const name of ["tabindex", "aria-pressed", "aria-label", "role"]) element.removeAttribute(name);
  }
  return writable(`${new XMLSerializer().serializeToString(copy)}\n`);
}

const line = (name: string, colour: string, more = ""): string => `.edge.${name} .line { stroke: ${colour}${more} } .edge.${name} .head { fill: ${colour} }\n`;

const PAPER = `
.paper { fill: #ffffff }
.node rect { fill: #e4eff9; stroke: #3b76ab; stroke-width: 1.5 }
.node text { fill: #12324f; font-size: 14px }
.edge .line { fill: none; stroke: #2b3a48 } .edge .head { fill: #2b3a48 }
${line("here", "#c2571a")}${line("turned", "#7b3fb0")}${line("there", "#8794a1", "; stroke-dasharray: 6 5")}
${["#a3aeb8", "#74a3cc", "#3a84c4", "#1a5a9c", "#0b2f6b"].map((colour, at) => line(`level-${at}`, colour)).join("")}`;
