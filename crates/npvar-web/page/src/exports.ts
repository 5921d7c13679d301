// Saving what is on the page.

import { button, html, save } from "./dom.ts";
import { toCsv, toDot, toGraphml } from "./graph-files.ts";
import type { GraphView } from "./graph-view.ts";
import type { State } from "./state.ts";

const PNG_SCALE = 2;
/** Larger canvases fail in some browsers. */
const MOST_PIXELS = 8192;

export function exportsBar(state: State, view: GraphView): HTMLElement {
  const { report } = state;
  const name = report.title.replace(/\.[a-z]+$/i, "").replace(/[^\w-]+/g, "-") || "graph";
  const graph = (): { nodes: string[]; edges: typeof report.document.edges } => ({ nodes: report.document.nodes, edges: state.shownEdges() });
  const formats: [string, () => void][] = [
    ["SVG", () => save(`${name}.svg`, view.toSvg(report.title), "image/svg+xml")],
    ["PNG", () => void png(view.toSvg(report.title)).then((blob) => save(`${name}.png`, blob))],
    ["DOT", () => save(`${name}.dot`, toDot(graph()))],
    ["GraphML", () => save(`${name}.graphml`, toGraphml(graph()), "application/xml")],
    ["CSV", () => save(`${name}.csv`, toCsv(graph()), "text/csv")],
    ["JSON", () => save(`${name}.json`, `${JSON.stringify(report.document, null, 2)}\n`, "application/json")],
  ];
  return html(
    "div",
    { class: "toolbar exports", role: "group", "aria-label": "Save the graph" },
    html("span", { class: "quiet" }, "Save as"),
    ...formats.map(([format, action]) => button(format, action, { "aria-label": `Save as ${format}` })),
    html("span", { class: "quiet" }, "JSON holds everything; the others the edges now shown."),
  );
}

async function png(picture: string): Promise<Blob> {
  const image = new Image();
  const address = URL.createObjectURL(new Blob([picture], { type: "image/svg+xml" }));
  try {
    await new Promise((resolve, reject) => {
      image.onload = resolve;
      image.onerror = reject;
      image.src = address;
    });
    const scale = Math.min(PNG_SCALE, MOST_PIXELS / image.width, MOST_PIXELS / image.height);
    const canvas = html("canvas", { width: Math.round(image.width * scale), height: Math.round(image.height * scale) });
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large"))), "image/png"),
    );
  } finally {
    URL.revokeObjectURL(address);
  }
}
