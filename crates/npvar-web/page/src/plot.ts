// Small charts in SVG: a fitted curve over the data, and the path of a residual variance.

import type { Curve } from "./document.ts";
import { svg } from "./dom.ts";
import { tick, ticks } from "./numbers.ts";

const WIDTH = 340;
const HEIGHT = 230;
/** A figure's width at the size of the ticks. */
const LETTER = 6.4;
const EDGE = { left: 48, right: 10, top: 10, bottom: 40 };

interface Frame {
  x: (value: number) => number;
  y: (value: number) => number;
  chart: SVGSVGElement;
  /** Where the axis stands: as far in as its numbers and its name need. */
  side: number;
}

function frame(xs: [number, number], ys: [number, number], names: [string, string], label: string, whole = false): Frame {
  const widened = ([low, high]: [number, number]): [number, number] => {
    const room = 0.04 * (high - low) || Math.abs(high) * 0.1 || 1;
    return [low - room, high + room];
  };
  const [[left, right], [low, high]] = [widened(xs), widened(ys)];
  const down = ticks(low, high, 5);
  const side = Math.max(EDGE.left, 32 + LETTER * Math.max(...down.map((at) => tick(at).length)));
  const x = (value: number): number => side + ((value - left) / (right - left)) * (WIDTH - side - EDGE.right);
  const y = (value: number): number => HEIGHT - EDGE.bottom - ((value - low) / (high - low)) * (HEIGHT - EDGE.top - EDGE.bottom);
  const chart = svg("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label });
  const across = ticks(left, right, 5).filter((at) => !whole || Number.isInteger(at));
  for (const at of across) {
    chart.append(
      svg("line", { class: "grid", x1: x(at), x2: x(at), y1: EDGE.top, y2: HEIGHT - EDGE.bottom }),
      svg("text", { class: "tick", x: x(at), y: HEIGHT - EDGE.bottom + 15, "text-anchor": "middle" }, tick(at)),
    );
  }
  for (const at of down) {
    chart.append(
      svg("line", { class: "grid", x1: side, x2: WIDTH - EDGE.right, y1: y(at), y2: y(at) }),
      svg("text", { class: "tick", x: side - 6, y: y(at) + 4, "text-anchor": "end" }, tick(at)),
    );
  }
  const middle = (EDGE.top + HEIGHT - EDGE.bottom) / 2;
  chart.append(
    svg("text", { class: "axis", x: (side + WIDTH - EDGE.right) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, names[0]),
    svg("text", { class: "axis", x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, names[1]),
  );
  return { x, y, chart, side };
}

/** The least and the largest but for the outermost hundredth, which would flatten everything else. */
function bulk(values: number[]): [number, number] {
  const sorted = [...values].sort((a, b) => a - b);
  const cut = Math.floor(sorted.length / 200);
  return [sorted[cut] ?? 0, sorted[sorted.length - 1 - cut] ?? 1];
}

const joined = (...ranges: [number, number][]): [number, number] => [
  Math.min(...ranges.map(([low]) => low)),
  Math.max(...ranges.map(([, high]) => high)),
];
const range = (values: number[]): [number, number] => [Math.min(...values), Math.max(...values)];

/** An axis has no room for more; the heading above has the whole name. */
const shortened = (name: string, most: number): string => ([...name].length > most ? `${[...name].slice(0, most - 1).join("")}…` : name);

/** The data, the child about its mean, with the parent's fitted effect when there is one. */
export function effectPlot(from: string, to: string, curve: Curve | undefined, xs?: number[], ys?: number[]): SVGSVGElement | null {
  const rows = xs && ys ? xs.map((_, i) => i) : [];
  if (!curve && rows.length === 0) return null;
  const mean = rows.reduce((sum, i) => sum + ys![i]!, 0) / Math.max(1, rows.length);
  const shift = curve ? mean : 0;
  const heights = rows.map((i) => ys![i]! - shift);
  const [acrossRanges, downRanges]: [number, number][][] = [[], []];
  if (rows.length) {
    acrossRanges!.push(bulk(xs!));
    downRanges!.push(bulk(heights));
  }
  if (curve) {
    acrossRanges!.push(range(curve.x));
    downRanges!.push(range(curve.fit));
  }
  const [across, down] = [joined(...acrossRanges!), joined(...downRanges!)];
  const label = curve
    ? `The fitted effect of ${from} on ${to}, over ${rows.length} of the data points`
    : `${rows.length} data points of ${from} and ${to}`;
  const { x, y, chart, side } = frame(across, down, [shortened(from, 44), curve && [...to].length < 14 ? `${to}, about its mean` : shortened(to, 28)], label);
  const inside = svg("svg", {
    x: side,
    y: EDGE.top,
    width: WIDTH - side - EDGE.right,
    height: HEIGHT - EDGE.top - EDGE.bottom,
    viewBox: `${side} ${EDGE.top} ${WIDTH - side - EDGE.right} ${HEIGHT - EDGE.top - EDGE.bottom}`,
  });
  const dots = rows.map((i) => `M${x(xs![i]!).toFixed(1)} ${y(heights[i]!).toFixed(1)}h0`);
  inside.append(svg("path", { class: "dots", d: dots.join("") }));
  if (curve) {
    const through = (values: number[]): string[] => values.map((value, i) => `${x(curve.x[i]!).toFixed(1)} ${y(value).toFixed(1)}`);
    if (curve.lower && curve.upper) {
      inside.append(svg("path", { class: "band", d: `M${[...through(curve.upper), ...through(curve.lower).reverse()].join("L")}Z` }));
    }
    inside.append(svg("path", { class: "fit", d: `M${through(curve.fit).join("L")}` }));
  }
  chart.append(inside);
  return chart;
}

/** How a node's residual variance fell as nodes before it were taken in. */
export function variancePlot(name: string, variances: number[]): SVGSVGElement {
  const down: [number, number] = [0, Math.max(...variances)];
  const { x, y, chart } = frame([1, variances.length], down, ["step", "residual variance"], `The residual variance of ${name} at each step`, true);
  const points = variances.map((variance, i) => `${x(i + 1).toFixed(1)} ${y(variance).toFixed(1)}`);
  chart.append(svg("path", { class: "fit", d: `M${points.join("L")}` }));
  variances.forEach((variance, i) => chart.append(svg("circle", { class: "mark", cx: x(i + 1), cy: y(variance), r: 3 })));
  return chart;
}
