// The graph: drawn as SVG, so that it scales, prints, follows the colour scheme and can be walked with the keyboard.

import { type Area, Camera, FOOT, MOST_FIT, READABLE } from "./camera.ts";
import { type Direction, type Edge, edgeName } from "./document.ts";
import { html, svg } from "./dom.ts";
import { type Picture, arrange, draw, extent, neighbourhood } from "./geometry.ts";
import { type Under, listen } from "./gestures.ts";
import { MiniMap } from "./mini-map.ts";
import { brief, count, pValue, share } from "./numbers.ts";
import { pictureOf } from "./paper.ts";
import { edgeShape, endsOf, nodeShape } from "./shapes.ts";
import { type Change, type State, chosenAt, reached } from "./state.ts";

/** Narrower than this, what is selected covers the lower part of the window. */
const NARROW = 960;
/** So many times larger than its window, a graph is not begun at its beginning, where there is little to see. */
const HUGE = 3;
/** With more edges than this, each is drawn faintly. */
const DENSE = 150;
interface DrawnEdge {
  edge: Edge;
  group: SVGGElement;
  /** Of the graph compared with, and not of this one. */
  other: boolean;
}

export class GraphView {
  readonly element: HTMLElement;
  private readonly canvas = svg("svg", { class: "graph", role: "group" });
  private readonly viewport = svg("g");
  private readonly edgeLayer = svg("g");
  private readonly nodeLayer = svg("g");
  private readonly tip = html("div", { class: "tip", hidden: true, "aria-hidden": "true" });
  private picture!: Picture;
  private edges: DrawnEdge[] = [];
  private nodes = new Map<string, SVGGElement>();
  private readonly camera: Camera;
  private current: string;
  private fitted = false;
  private readonly map = new MiniMap((to) => this.camera.centre(to));

  constructor(private readonly state: State) {
    this.current = state.report.document.order?.[0] ?? state.report.document.nodes[0] ?? "";
    this.viewport.append(this.edgeLayer, this.nodeLayer);
    this.canvas.append(this.viewport);
    this.element = html("div", { class: "canvas" }, this.canvas, this.map.element, this.tip);
    this.camera = new Camera(this.element, this.canvas, this.viewport, this.map, () => this.box());
    this.listen();
    state.on((change) => this.update(change));
    new ResizeObserver(() => this.resized()).observe(this.element);
    addEventListener("beforeprint", () => this.fitted && this.camera.onPaper(true));
    addEventListener("afterprint", () => this.fitted && this.camera.onPaper(false));
  }

  /** The way that must be shrunk less to fit. */
  private direction(): Direction {
    const { report, arrangement, direction } = this.state;
    if (direction !== "auto") return direction;
    const shrunk = (way: Direction): number => {
      const { width, height } = extent(report, arrangement, way);
      return Math.min(MOST_FIT, this.element.clientWidth / width, this.room() / height);
    };
    return shrunk("down") > shrunk("across") ? "down" : "across";
  }

  /** How high the canvas may be. */
  private room(): number {
    if (this.element.closest(".full")) return this.element.clientHeight;
    // A phone's sheet with what is selected leaves about half of the window.
    return innerWidth < NARROW ? Math.max(230, 0.34 * innerHeight) : Math.min(900, Math.max(300, 0.5 * innerHeight));
  }

  private resized(): void {
    if (this.element.clientWidth === 0) return;
    if (!this.fitted || this.picture.direction !== this.direction()) this.build();
    this.begin();
  }

  /** After the room for the graph has changed. */
  laidOut(): void {
    this.element.style.height = "";
    this.build();
    this.begin();
  }

  /** Lays out and draws everything. */
  private build(): void {
    const { report } = this.state;
    const { document } = report;
    this.picture = this.arranged();
    this.fitted = true;
    this.canvas.setAttribute(
      "aria-label",
      `Graph of ${count(document.nodes.length, "node")} and ${count(document.edges.length, "edge")}. ` +
        "Arrow keys move between nodes, Enter selects one, Escape clears. The table below lists every edge.",
    );
    this.canvas.classList.toggle("dense", document.edges.length > DENSE && !(this.state.only && this.state.node !== null));
    if (!this.picture.at.has(this.current)) this.current = [...this.picture.at.keys()][0] ?? this.current;
    this.buildEdges();
    this.buildNodes();
    this.mark();
    this.sized();
    this.map.draw(this.picture, this.box());
  }

  /** Where everything stands that is to be seen. */
  private arranged(): Picture {
    const { report, arrangement, node, only, reach, withoutIsolated } = this.state;
    const shown = this.state.shownEdges();
    if (only && node !== null && reach === "neighbours") return neighbourhood(report, node, shown, this.direction());
    const picture = arrange(report, arrangement, this.direction());
    const kept = only && node !== null ? reached(node, shown, reach) : null;
    const joined = new Set(report.document.edges.flatMap(({ from, to }) => [from, to]));
    for (const name of report.document.nodes) {
      if ((kept && !kept.has(name)) || (withoutIsolated && !joined.has(name))) picture.at.delete(name);
    }
    return picture;
  }

  /** No taller than the graph needs, and no taller than there is room for. */
  private sized(): void {
    const box = this.box();
    const scale = Math.max(READABLE, Math.min((this.element.clientWidth - 24) / box.width, MOST_FIT));
    if (this.element.closest(".full")) return;
    this.element.style.height = `${Math.min(this.room(), Math.max(200, box.height * scale + FOOT + 24))}px`;
  }

  private buildEdges(): void {
    const comparison = this.state.comparison;
    const own = this.state.report.document.edges;
    const others = comparison?.missing ?? [];
    const drawn = (edge: Edge, other: boolean): DrawnEdge => ({ edge, group: edgeShape(edge, other, this.state, own.length > DENSE), other });
    const { node, only, reach } = this.state;
    const around = only && reach === "neighbours" ? node : null;
    const stands = ({ from, to }: Edge): boolean =>
      this.picture.at.has(from) && this.picture.at.has(to) && (around === null || from === around || to === around);
    this.edges = [...others.filter(stands).map((edge) => drawn(edge, true)), ...own.filter(stands).map((edge) => drawn(edge, false))];
    this.edges.forEach((edge) => this.trace(edge));
    this.edgeLayer.replaceChildren(...this.edges.map(({ group }) => group));
  }

  private trace({ edge, group }: DrawnEdge): void {
    const { line, heads } = draw(this.picture, edge);
    const [hit, path, head] = group.querySelectorAll("path");
    hit!.setAttribute("d", line);
    path!.setAttribute("d", line);
    head!.setAttribute("d", heads);
  }

  private buildNodes(): void {
    const { nodes, edges } = this.state.report.document;
    const ends = endsOf(nodes, edges);
    this.nodes = new Map(
      nodes
        .filter((name) => this.picture.at.has(name))
        .map((name) => [name, nodeShape(name, this.picture.boxes.get(name)!, ends.get(name)!, name === this.current)] as const),
    );
    this.nodes.forEach((group, name) => this.put(name, group));
    this.nodeLayer.replaceChildren(...this.nodes.values());
  }

  private put(name: string, group: SVGGElement): void {
    const { x, y } = this.picture.at.get(name)!;
    group.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
  }

  private update(change: Change): void {
    if (!this.fitted) return;
    if (change === "arrangement" || (this.state.only && (change === "selection" || change === "reach"))) {
      this.build();
      this.begin();
    } else if (change === "comparison" || change === "colouring") {
      this.buildEdges();
      this.mark();
    } else {
      this.mark();
    }
  }

  /** Marks what is shown, selected, within reach, and where the replay stands. */
  private mark(hovered: string | Edge | null = null): void {
    const { state } = this;
    const focus = state.node ?? state.edge ?? hovered;
    const shown = state.shownEdges();
    let lit: Set<string> | null = null;
    if (typeof focus === "string") lit = reached(focus, shown, state.node === null ? "neighbours" : state.reach);
    else if (focus) lit = new Set([focus.from, focus.to]);
    const isLit = (edge: Edge): boolean => {
      if (typeof focus !== "string") return edge === focus;
      if (state.node === null || state.reach === "neighbours") return edge.from === focus || edge.to === focus;
      return lit!.has(edge.from) && lit!.has(edge.to) && edge.kind === "directed";
    };
    const step = state.step === null ? undefined : state.report.document.steps?.[state.step];
    const given = new Set(step?.given);
    const chosen = new Set(state.step === null ? [] : chosenAt(state.report, state.step));
    this.canvas.classList.toggle("focused", lit !== null);
    this.canvas.classList.toggle("replayed", step !== undefined);
    for (const { edge, group, other } of this.edges) {
      group.classList.toggle("hidden", !other && !state.isShown(edge));
      group.classList.toggle("lit", lit !== null && isLit(edge));
      group.classList.toggle("selected", edge === state.edge);
      group.classList.toggle("settled", given.has(edge.from) && (given.has(edge.to) || chosen.has(edge.to)));
    }
    for (const [name, group] of this.nodes) {
      group.classList.toggle("lit", lit !== null && lit.has(name));
      group.classList.toggle("selected", name === state.node);
      group.classList.toggle("ancestral", given.has(name));
      group.classList.toggle("chosen", chosen.has(name));
      group.setAttribute("aria-pressed", String(name === state.node));
    }
  }

  /** Shows a node that was searched for; what is on the screen stays where it is. */
  find(name: string): void {
    if (!this.picture.at.has(name)) {
      this.state.withoutIsolated = false;
      this.state.only = false;
      this.state.tell("arrangement");
    }
    this.moveTo(name, false);
    this.state.selectNode(name);
    this.camera.approach();
    this.reveal(name);
  }

  private reveal(name: string): void {
    const at = this.picture.at.get(name);
    if (at) this.camera.reveal(at, this.picture.boxes.get(name)!);
  }

  /** Everything, however small. */
  fit(): void {
    this.camera.fit();
  }

  zoom(factor: number): void {
    this.camera.zoom(factor);
  }

  /** Everything where its names can be read then; else what is selected, the beginning, or where most happens. */
  begin(): void {
    const chosen = this.state.node ?? this.state.edge?.from;
    this.camera.begin((timesTooLarge) => this.picture.at.get(chosen ?? (timesTooLarge > HUGE ? this.busiest() : this.current)));
  }

  /** The node with the most edges. */
  private busiest(): string {
    const ends = new Map<string, number>();
    for (const { edge } of this.edges) for (const name of [edge.from, edge.to]) ends.set(name, (ends.get(name) ?? 0) + 1);
    return [...ends].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [this.current, 0])[0];
  }

  /** What nodes and edges cover. */
  private box(): Area {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    const cover = (x: number, y: number, across: number, down: number): void => {
      left = Math.min(left, x - across);
      right = Math.max(right, x + across);
      top = Math.min(top, y - down);
      bottom = Math.max(bottom, y + down);
    };
    for (const [name, { x, y }] of this.picture.at) {
      const { width, height } = this.picture.boxes.get(name)!;
      cover(x, y, width / 2 + 6, height / 2 + 6);
    }
    const drawn = new Set(this.edges.map(({ edge }) => edge));
    for (const [edge, curve] of this.picture.curves) if (drawn.has(edge)) for (const { x, y } of curve) cover(x, y, 6, 6);
    if (left > right) return { x: 0, y: 0, width: 1, height: 1 };
    return { x: left, y: top, width: right - left, height: bottom - top };
  }

  private listen(): void {
    const { canvas } = this;
    listen(canvas, this.camera, {
      under: (target) => this.under(target),
      hover: (event) => this.hover(event),
      begun: () => (this.tip.hidden = true),
      drag: (node, dx, dy) => this.drag(node, dx, dy),
      press: ({ node, edge }) => {
        if (node === null) return this.state.selectEdge(edge === this.state.edge ? null : edge);
        this.moveTo(node, false);
        this.state.selectNode(node === this.state.node ? null : node);
      },
      leave: () => {
        this.tip.hidden = true;
        this.mark();
      },
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("focusin", (event) => {
      const { node } = this.under(event.target);
      if (node !== null) this.moveTo(node, false);
    });
  }

  private under(target: EventTarget | null): Under {
    const group = target instanceof Element ? target.closest("g.node, g.edge") : null;
    const edge = this.edges.find((drawn) => drawn.group === group && !drawn.other)?.edge ?? null;
    return { node: group?.getAttribute("data-node") ?? null, edge };
  }

  private hover(event: PointerEvent): void {
    if (event.pointerType === "touch") return;
    const { node, edge } = this.under(event.target);
    if (this.state.node === null && this.state.edge === null) this.mark(node ?? edge);
    this.tip.hidden = edge === null;
    if (edge === null) return;
    const facts = [edgeName(edge)];
    if (edge.p_value != null) facts.push(`p ${edge.p_value === 0 ? "" : "= "}${pValue(edge.p_value)}`);
    if (edge.strength != null) facts.push(`strength ${brief(edge.strength)}`);
    if (edge.frequency != null) facts.push(`in ${share(edge.frequency)} of bootstrap samples`);
    if (edge.turned_nats != null) facts.push(`turning it costs ${brief(edge.turned_nats)} nats`);
    this.tip.textContent = facts.join(" · ");
    const box = this.element.getBoundingClientRect();
    const left = Math.min(event.clientX - box.x + 12, box.width - this.tip.offsetWidth - 4);
    this.tip.style.transform = `translate(${Math.max(4, left)}px, ${event.clientY - box.y + 16}px)`;
  }

  private drag(name: string, dx: number, dy: number): void {
    const at = this.picture.at.get(name)!;
    this.picture.at.set(name, { x: at.x + dx, y: at.y + dy });
    this.put(name, this.nodes.get(name)!);
    for (const drawn of this.edges) {
      const { from, to } = drawn.edge;
      if (from !== name && to !== name) continue;
      this.picture.curves.delete(drawn.edge);
      this.trace(drawn);
    }
  }

  private moveTo(name: string, focus: boolean): void {
    this.nodes.get(this.current)?.setAttribute("tabindex", "-1");
    this.current = name;
    const group = this.nodes.get(name);
    if (!group) return;
    group.setAttribute("tabindex", "0");
    if (!focus) return;
    this.reveal(name);
    group.focus({ preventScroll: true });
  }

  private key(event: KeyboardEvent): void {
    const ways: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = ways[event.key];
    if (way) this.step(way);
    else if (event.key === "Enter" || event.key === " ") this.state.selectNode(this.current === this.state.node ? null : this.current);
    else if (event.key === "Escape" && (this.state.node !== null || this.state.edge)) this.state.selectNode(null);
    else if (event.key === "+" || event.key === "=") this.zoom(1.25);
    else if (event.key === "-") this.zoom(0.8);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }

  /** The nearest node in a direction, sideways distance counting double. */
  private step([right, down]: [number, number]): void {
    const here = this.picture.at.get(this.current)!;
    let best: { name: string; distance: number } | null = null;
    for (const [name, { x, y }] of this.picture.at) {
      const [dx, dy] = [x - here.x, y - here.y];
      const ahead = dx * right + dy * down;
      if (ahead <= 1) continue;
      const distance = ahead + 2 * Math.abs(dx * down + dy * right);
      if (!best || distance < best.distance) best = { name, distance };
    }
    if (best) this.moveTo(best.name, true);
  }

  /** A picture of what is shown, in the colours of paper. */
  toSvg(title: string): string {
    return pictureOf(title, this.box(), [this.edgeLayer, this.nodeLayer]);
  }
}
