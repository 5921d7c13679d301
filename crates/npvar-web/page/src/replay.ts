// Algorithm 2, step by step: every remaining node's residual variance, which node won, by how much, and η.

import { own } from "./document.ts";
import { button, freshId, html, section, svg } from "./dom.ts";
import { brief, number } from "./numbers.ts";
import { scale } from "./scale.ts";
import { type State, chosenAt } from "./state.ts";

/** Bars shown at once; the rest are far from winning. */
const MOST_BARS = 24;
const PACE_MS = 1100;

/** What stands below the graph, and the residual variances of the step beside it. */
export interface Replay {
  bar: HTMLElement;
  bars: HTMLElement;
}

export function replay(state: State): Replay | null {
  const { report } = state;
  const steps = report.document.steps ?? [];
  if (steps.length === 0) return null;
  const margins = steps.map((_, step) => margin(state, step));
  let timer: ReturnType<typeof setInterval> | undefined;
  const [words, bars] = [html("p", { class: "step-words", "aria-live": "polite" }), html("div", { class: "bars" })];
  const id = freshId("step");
  const slider = html("input", { type: "range", id, min: 1, max: steps.length, step: 1, value: 1 });
  const strip = overview(margins, (step) => go(step));
  const playButton = button("Play", () => (timer ? pause() : play()), { class: "primary" });
  const go = (step: number | null): void => {
    state.step = step === null ? null : Math.min(steps.length - 1, Math.max(0, step));
    state.tell("replay");
  };
  const pause = (): void => {
    clearInterval(timer);
    timer = undefined;
    playButton.textContent = "Play";
  };
  const play = (): void => {
    if (state.step === null || state.step === steps.length - 1) go(0);
    playButton.textContent = "Pause";
    timer = setInterval(() => (state.step === null || state.step === steps.length - 1 ? pause() : go(state.step + 1)), PACE_MS);
  };
  slider.addEventListener("input", () => {
    pause();
    go(slider.valueAsNumber - 1);
  });
  const walk = (by: number) => (): void => {
    pause();
    go(state.step === null ? 0 : state.step + by);
  };
  const off = button("Leave replay", () => {
    pause();
    go(null);
  });
  const controls = html(
    "div",
    { class: "toolbar" },
    playButton,
    button("Back", walk(-1)),
    button("Next", walk(1)),
    html("label", { for: id }, "Step"),
    slider,
    off,
  );
  const draw = (): void => {
    const step = state.step ?? 0;
    off.disabled = state.step === null;
    slider.valueAsNumber = step + 1;
    slider.setAttribute("aria-valuetext", `step ${step + 1} of ${steps.length}`);
    words.replaceChildren(...sentence(state, step, margins[step]!));
    if (bars.clientWidth > 0) bars.replaceChildren(chart(state, step, bars.clientWidth));
    strip.querySelectorAll("g").forEach((column, at) => column.classList.toggle("now", at === step));
  };
  state.on((change) => {
    if (change === "replay") draw();
  });
  draw();
  let width = 0;
  new ResizeObserver(() => {
    if (bars.clientWidth === width) return;
    width = bars.clientWidth;
    draw();
  }).observe(bars);
  const closest = margins.map((found, step) => ({ ...found, step })).filter(({ relative }) => relative !== null);
  closest.sort((a, b) => a.relative! - b.relative!);
  const narrow = closest[0];
  const bar = section(
    "How the order was found",
    html(
      "p",
      { class: "quiet about" },
      "At each step the node with the smallest residual variance, given all nodes before it, comes next. ",
      narrow
        ? `The closest decision was step ${narrow.step + 1}, where the runner-up was ${percent(narrow.relative!)} above the winner. `
        : "",
    ),
    html("div", { class: "replay-row" }, html("div", { class: "overview-scroll", tabindex: "0", role: "region", "aria-label": "All steps" }, strip), controls),
    words,
  );
  bar.classList.add("replay");
  return { bar, bars: html("div", { class: "replay-bars" }, html("h3", {}, "Residual variances of this step"), bars) };
}

interface Margin {
  chosen: string[];
  least: number;
  /** Those with less, which had to wait: what is known lets them come later only. */
  waiting: string[];
  runnerUp: { name: string; variance: number } | null;
  /** How far the runner-up is above the last node chosen, relative to it. */
  relative: number | null;
}

const percent = (relative: number): string => `${(100 * relative).toFixed(relative < 0.1 ? 1 : 0)} %`;

function margin(state: State, step: number): Margin {
  const variances = state.report.document.steps![step]!.residual_variances;
  const chosen = chosenAt(state.report, step);
  const taken = chosen.map((name) => variances[name]!);
  const rest = Object.entries(variances).filter(([name]) => !chosen.includes(name));
  const last = Math.max(...taken);
  const waiting = rest.filter(([, variance]) => variance < last);
  const above = rest.filter(([, variance]) => variance >= last);
  const [name, variance] = above.reduce((best, entry) => (entry[1] < best[1] ? entry : best), ["", Infinity]);
  return {
    chosen,
    least: Math.min(...taken),
    waiting: waiting.map(([name]) => name),
    runnerUp: name === "" ? null : { name, variance },
    relative: name === "" || !(last > 0) ? null : variance / last - 1,
  };
}

/** How sure the lead is: both residual variances come from the same rows, so its error is not that of two bars. */
function lead({ lead, standard_error: error }: { lead: number; standard_error: number }): string {
  if (!(error > 0)) return "";
  const times = lead / error;
  return ` The lead of ${brief(lead)} is ${times < 10 ? times.toFixed(1) : Math.round(times)} times its standard error.`;
}

function sentence(state: State, step: number, { chosen, least, waiting, runnerUp, relative }: Margin): (Node | string)[] {
  const { given, eta, standard_errors: errors, margin: found } = state.report.document.steps![step]!;
  const names = (list: string[]): string => (list.length > 8 ? `${list.slice(0, 8).join(", ")} and ${list.length - 8} more` : list.join(", "));
  const after = given.length === 0 ? "Given nothing" : `Given ${names(given)}`;
  const winner = chosen[0]!;
  const error = errors?.[winner];
  const result = `${chosen.length === 1 ? "is next" : "form the next layer"}, with residual variance ${brief(least)}`;
  const beyond = runnerUp
    ? ` The runner-up is ${runnerUp.name} with ${brief(runnerUp.variance)}${relative === null ? "" : `, ${percent(relative)} more`}.${found?.runner_up === runnerUp.name ? lead(found) : ""}`
    : ` No ${waiting.length > 0 ? "other node could come next" : "other node was left"}.`;
  const waited = waiting.length > 0 ? ` ${names(waiting)} ${waiting.length === 1 ? "has" : "have"} less, but may not come yet, by what is known.` : "";
  return [
    html("strong", {}, `Step ${step + 1} of ${state.report.document.steps!.length}. `),
    `${after}, `,
    html("strong", {}, names(chosen)),
    ` ${result}${error == null ? "" : ` (standard error ${brief(error)})`}.${waited}${beyond} η\u00a0=\u00a0${eta === 0 ? "0" : brief(eta)}.`,
  ];
}

/** Every step's winner and runner-up at a glance; each column is a button. */
function overview(margins: Margin[], go: (step: number) => void): SVGSVGElement {
  const [pitch, height] = [Math.max(6, Math.min(44, 880 / margins.length)), 74];
  const { at, logarithmic } = scale(margins.flatMap(({ least, runnerUp }) => (runnerUp ? [least, runnerUp.variance] : [least])));
  const y = (variance: number): number => height - 18 - at(variance) * (height - 30);
  const chart = svg("svg", {
    class: "overview",
    viewBox: `0 0 ${pitch * margins.length} ${height}`,
    width: pitch * margins.length,
    role: "img",
    "aria-label": `Winner and runner-up of every step${logarithmic ? ", on a logarithmic scale" : ""}`,
  });
  if (logarithmic) chart.append(svg("text", { x: 4, y: 10 }, "log scale"));
  margins.forEach(({ chosen, least, runnerUp }, step) => {
    const x = (step + 0.5) * pitch;
    const half = 3.4 * String(step + 1).length; // of the label, which the edge does not cut
    const column = svg(
      "g",
      {},
      svg("title", {}, `Step ${step + 1}: ${chosen.join(", ")}${runnerUp ? `, runner-up ${runnerUp.name}` : ""}`),
      svg("rect", { class: "back", x: step * pitch, y: 0, width: pitch, height }),
      runnerUp && svg("line", { class: "stem", x1: x, x2: x, y1: y(least), y2: y(runnerUp.variance) }),
      runnerUp && svg("circle", { class: "second", cx: x, cy: y(runnerUp.variance), r: Math.min(4, pitch / 3) }),
      svg("circle", { class: "first", cx: x, cy: y(least), r: Math.min(4, pitch / 3) }),
      (margins.length <= 30 || step % 10 === 9) && svg("text", { x: Math.min(x, pitch * margins.length - half), y: height - 2, "text-anchor": "middle" }, String(step + 1)),
    );
    column.addEventListener("click", () => go(step));
    chart.append(column);
  });
  return chart;
}

/** A name in lines of at most so many letters. */
function lined(name: string, most: number): string[] {
  const letters = [...name];
  return Array.from({ length: Math.max(1, Math.ceil(letters.length / most)) }, (_, at) => letters.slice(at * most, (at + 1) * most).join(""));
}

/** About how wide a letter is, and how far from one line or bar to the next. */
const [LETTER, LINE, BAR] = [8.2, 16, 22];

/** The residual variances of one step as bars, smallest first; a name stands before its bar, or above it where it is long. */
function chart(state: State, step: number, room: number): Node {
  const { residual_variances: variances, eta, standard_errors: errors } = state.report.document.steps![step]!;
  const chosen = new Set(chosenAt(state.report, step));
  const sorted = Object.entries(variances).sort((a, b) => a[1] - b[1]);
  const shown = sorted.slice(0, MOST_BARS);
  const error = (name: string): number => 2 * (own(errors, name) ?? 0);
  const most = Math.max(...shown.map(([name, variance]) => variance + error(name))) || 1;
  const width = Math.min(860, room);
  const longest = LETTER * Math.max(...shown.map(([name]) => [...name].length)) + 14;
  const above = longest > 0.4 * width;
  const left = above ? 2 : longest;
  const labels = new Map(shown.map(([name]) => [name, above ? lined(name, Math.floor(width / LETTER)) : [name]]));
  const { at, logarithmic } = scale(shown.map(([, variance]) => variance), most);
  const x = (variance: number): number => left + at(variance) * (width - left - 78);
  const picture = svg("svg", {
    class: "bar-chart",
    width,
    role: "img",
    "aria-label": `Residual variances of step ${step + 1}: ${shown.slice(0, 5).map(([name, variance]) => `${name} ${number(variance)}`).join(", ")}`,
  });
  let down = 2;
  shown.forEach(([name, variance]) => {
    const lines = labels.get(name)!;
    const top = down + (above ? LINE * lines.length : 0);
    const middle = top + 9;
    const label = above
      ? svg("text", {}, ...lines.map((line, at) => svg("tspan", { x: left, y: down + 12 + LINE * at }, line)))
      : svg("text", { x: left - 8, y: middle + 4, "text-anchor": "end" }, name);
    picture.append(
      svg(
        "g",
        { class: chosen.has(name) ? "won" : "" },
        label,
        svg("rect", { x: left, y: top + 1, width: Math.max(1, x(variance) - left), height: 16, rx: 3 }),
        error(name) > 0 &&
          svg("path", { class: "error", d: `M${x(variance - error(name))} ${middle}H${x(variance + error(name))}m0 -4v8M${x(variance - error(name))} ${middle - 4}v8` }),
        svg("text", { class: "value", x: x(variance + error(name)) + 6, y: middle + 4 }, number(variance)),
      ),
    );
    down = top + BAR;
  });
  picture.setAttribute("viewBox", `0 0 ${width} ${down}`);
  const least = sorted[0]?.[1] ?? 0;
  if (eta > 0) {
    const line = x(least + eta);
    picture.append(
      svg("line", { class: "eta", x1: line, x2: line, y1: 0, y2: down }, svg("title", {}, `smallest + η = ${number(least + eta)}`)),
    );
  }
  const rest = sorted.length - shown.length;
  const notes: string[] = [];
  if (logarithmic) notes.push("The scale is logarithmic.");
  if (errors) notes.push("Whiskers are two standard errors.");
  if (eta > 0) notes.push("The line is η above the smallest.");
  if (rest > 0) notes.push(`${rest} larger residual variances are not shown.`);
  return html("figure", {}, picture, notes.length ? html("figcaption", { class: "quiet" }, notes.join(" ")) : null);
}
