// The graph: drawn as SVG, so that it scales, prints, follows the colour scheme and can be walked with the keyboard.

import { type Direction, type Edge, edgeName, pairKey, spokenEdge } from "./document.ts";
import { html, svg } from "./dom.ts";
import { type Picture, type Point, arrange, draw, extent, neighbourhood } from "./geometry.ts";
import { writable } from "./graph-files.ts";
import { MiniMap } from "./mini-map.ts";
import { brief, count, pValue, share } from "./numbers.ts";
import { type Change, type State, chosenAt, reached } from "./state.ts";

/** The size of a name's letters, and from one line of it to the next; the boxes are made for them. */
const LETTERS = 14;
const LINE = 16;
const MOST_ZOOM = 4;
/** At a smaller scale names would be below 11 pixels: they are then shown for what is pointed at, in that size. */
const READABLE = 11 / LETTERS;
/** Narrower than this, what is selected covers the lower part of the window. */
const NARROW = 960;
/** A small graph is not blown up beyond this. */
const MOST_FIT = 1.5;
/** With more edges than this, each is drawn faintly. */
const DENSE = 150;
/** A press that moves less than this selects; one that moves more drags. */
const STILL = 4;

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
  private view = { x: 0, y: 0, scale: 1 };
  private current: string;
  private fitted = false;
  private readonly map = new MiniMap((to) => this.centre(to));

  constructor(private readonly state: State) {
    this.current = state.report.document.order?.[0] ?? state.report.document.nodes[0] ?? "";
    this.viewport.append(this.edgeLayer, this.nodeLayer);
    this.canvas.append(this.viewport);
    this.element = html("div", { class: "canvas" }, this.canvas, this.map.element, this.tip);
    this.listen();
    state.on((change) => this.update(change));
    new ResizeObserver(() => this.resized()).observe(this.element);
    addEventListener("beforeprint", () => this.onPaper(true));
    addEventListener("afterprint", () => this.onPaper(false));
  }

  /** Paper holds the whole graph. */
  private onPaper(begins: boolean): void {
    if (!this.fitted) return;
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
    this.element.style.height = `${Math.min(this.room(), Math.max(200, box.height * scale + 48))}px`;
  }

  private buildEdges(): void {
    const comparison = this.state.comparison;
    const own = this.state.report.document.edges;
    const others = comparison?.missing ?? [];
    const drawn = (edge: Edge, other: boolean): DrawnEdge => {
      const title = other ? `${spokenEdge(edge)}: only in ${comparison!.name}` : spokenEdge(edge);
      const dense = own.length > DENSE ? 0.6 : 1;
      const width = dense * (edge.strength == null ? 1.8 : 1.2 + 3.4 * Math.sqrt(Math.min(1, Math.max(0, edge.strength))));
      const group = svg(
        "g",
        { class: `edge ${standing(edge, other, this.state)}` },
        svg("title", {}, title),
        svg("path", { class: "hit" }),
        svg("path", { class: "line", "stroke-width": width.toFixed(2) }),
        svg("path", { class: "head" }),
      );
      return { edge, group, other };
    };
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
    const ends = new Map(nodes.map((name) => [name, { parents: 0, children: 0, undirected: 0 }]));
    for (const { from, to, kind } of edges) {
      if (kind === "directed") {
        ends.get(from)!.children += 1;
        ends.get(to)!.parents += 1;
      } else {
        ends.get(from)!.undirected += 1;
        ends.get(to)!.undirected += 1;
      }
    }
    this.nodes = new Map(
      nodes.filter((name) => this.picture.at.has(name)).map((name) => {
        const { lines, width, height } = this.picture.boxes.get(name)!;
        const { parents, children, undirected } = ends.get(name)!;
        const links = undirected ? `, ${count(undirected, "edge")} without direction` : "";
        const group = svg(
          "g",
          {
            class: "node",
            role: "button",
            tabindex: name === this.current ? 0 : -1,
            "data-node": name,
            "aria-label": `${name}: ${count(parents, "parent")}, ${children} ${children === 1 ? "child" : "children"}${links}`,
          },
          svg("title", {}, name),
          svg("rect", { x: -width / 2, y: -height / 2, width, height, rx: Math.min(12, height / 2) }),
          svg("text", { "text-anchor": "middle" }, ...lines.map((line, at) => svg("tspan", { x: 0, y: LETTERS * 0.34 + LINE * (at - (lines.length - 1) / 2) }, line))),
        );
        return [name, group] as const;
      }),
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
    if (this.view.scale < READABLE) this.zoom(READABLE / this.view.scale);
    this.reveal(name);
  }

  /** Pans as little as brings a node into the window. */
  private reveal(name: string): void {
    const at = this.picture.at.get(name);
    if (!at) return;
    const { width, height } = this.picture.boxes.get(name)!;
    const { scale } = this.view;
    const slid = (begin: number, half: number, offset: number, room: number): number => {
      const [low, high] = [(begin - half) * scale + offset - 12, (begin + half) * scale + offset + 12];
      if (low < 0) return offset - low;
      return high > room ? offset - Math.min(high - room, low) : offset;
    };
    this.view.x = slid(at.x, width / 2, this.view.x, this.element.clientWidth);
    this.view.y = slid(at.y, height / 2, this.view.y, this.element.clientHeight);
    this.move();
  }

  private centre({ x, y }: Point): void {
    this.view.x = this.element.clientWidth / 2 - x * this.view.scale;
    this.view.y = this.element.clientHeight / 2 - y * this.view.scale;
    this.move();
  }

  /** Everything, however small. */
  fit(): void {
    this.show(this.whole());
  }

  /** Everything where its names can be read then, else as much as can be, from the beginning. */
  begin(): void {
    const scale = Math.max(this.whole(), READABLE);
    this.show(scale);
    if (scale === this.whole()) return;
    const box = this.box();
    const { clientWidth, clientHeight } = this.element;
    const focus = this.picture.at.get(this.state.node ?? this.state.edge?.from ?? this.current);
    // The window does not leave the graph.
    const kept = (middle: number, begin: number, size: number, room: number): number =>
      size * scale <= room - 24 ? room / 2 - (begin + size / 2) * scale : Math.min(12 - begin * scale, Math.max(room - 12 - (begin + size) * scale, room / 2 - middle * scale));
    this.view.x = kept(focus?.x ?? box.x, box.x, box.width, clientWidth);
    this.view.y = kept(focus?.y ?? box.y, box.y, box.height, clientHeight);
    this.move();
  }

  private whole(): number {
    const box = this.box();
    return Math.min((this.element.clientWidth - 24) / box.width, (this.element.clientHeight - 24) / box.height, MOST_FIT);
  }

  private show(scale: number): void {
    const box = this.box();
    this.view.scale = scale;
    this.centre({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
  }

  /** What nodes and edges cover. */
  private box(): { x: number; y: number; width: number; height: number } {
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

  zoom(factor: number, at = { x: this.element.clientWidth / 2, y: this.element.clientHeight / 2 }): void {
    const scale = Math.min(MOST_ZOOM, Math.max(0.05, this.view.scale * factor));
    const ratio = scale / this.view.scale;
    this.view = { scale, x: at.x - (at.x - this.view.x) * ratio, y: at.y - (at.y - this.view.y) * ratio };
    this.move();
  }

  private move(): void {
    const { x, y, scale } = this.view;
    this.viewport.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${scale.toFixed(4)})`);
    this.canvas.classList.toggle("far", scale < READABLE - 1e-9);
    this.canvas.style.setProperty("--enlarged", (READABLE / scale).toFixed(3));
    const { clientWidth, clientHeight } = this.element;
    this.map.show({ x: -x / scale, y: -y / scale, width: clientWidth / scale, height: clientHeight / scale });
  }

  private listen(): void {
    const { canvas } = this;
    const pointers = new Map<number, { x: number; y: number }>();
    let press: { node: string | null; edge: Edge | null; x: number; y: number; moved: boolean } | null = null;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      press = { ...this.under(event.target), x: event.clientX, y: event.clientY, moved: false };
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return this.hover(event);
      const now = { x: event.clientX, y: event.clientY };
      const [dx, dy] = [now.x - before.x, now.y - before.y];
      if (pointers.size === 2) {
        const other = [...pointers].find(([id]) => id !== event.pointerId)![1];
        const spread = (at: { x: number; y: number }): number => Math.hypot(at.x - other.x, at.y - other.y);
        const box = canvas.getBoundingClientRect();
        this.zoom(spread(now) / Math.max(1, spread(before)), { x: (now.x + other.x) / 2 - box.x, y: (now.y + other.y) / 2 - box.y });
      } else if (press && (press.moved || Math.hypot(now.x - press.x, now.y - press.y) > STILL)) {
        if (!press.moved) canvas.setPointerCapture(event.pointerId);
        press.moved = true;
        if (press.node === null) {
          this.view.x += dx;
          this.view.y += dy;
          this.move();
        } else {
          this.drag(press.node, dx / this.view.scale, dy / this.view.scale);
        }
      } else {
        return;
      }
      this.tip.hidden = true;
      pointers.set(event.pointerId, now);
    });
    const release = (event: PointerEvent): void => {
      pointers.delete(event.pointerId);
      if (event.type === "pointerup" && press && !press.moved) {
        if (press.node !== null) {
          this.moveTo(press.node, false);
          this.state.selectNode(press.node === this.state.node ? null : press.node);
        } else {
          this.state.selectEdge(press.edge === this.state.edge ? null : press.edge);
        }
      }
      press = null;
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("pointerleave", () => {
      this.tip.hidden = true;
      this.mark();
    });
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        const box = canvas.getBoundingClientRect();
        this.zoom(Math.exp(-event.deltaY / 300), { x: event.clientX - box.x, y: event.clientY - box.y });
      },
      { passive: false },
    );
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("focusin", (event) => {
      const { node } = this.under(event.target);
      if (node !== null) this.moveTo(node, false);
    });
  }

  private under(target: EventTarget | null): { node: string | null; edge: Edge | null } {
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
    const { x, y, width, height } = this.box();
    const margin = 16;
    const copy = svg("svg", {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `${(x - margin).toFixed(1)} ${(y - margin).toFixed(1)} ${(width + 2 * margin).toFixed(1)} ${(height + 2 * margin).toFixed(1)}`,
      width: (width + 2 * margin).toFixed(0),
      height: (height + 2 * margin).toFixed(0),
      role: "img",
      "font-family": "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif",
    });
    const paper = svg("rect", { class: "paper", x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin });
    const style = svg("style", {}, PAPER);
    copy.append(svg("title", {}, title), style, paper, this.edgeLayer.cloneNode(true), this.nodeLayer.cloneNode(true));
    copy.querySelectorAll(".hidden, .hit").forEach((element) => element.remove());
    for (const element of copy.querySelectorAll("[tabindex], [aria-pressed], [aria-label]")) {
      for (const name of ["tabindex", "aria-pressed", "aria-label", "role"]) element.removeAttribute(name);
    }
    return writable(`${new XMLSerializer().serializeToString(copy)}\n`);
  }
}

/** What colours an edge: how it compares, or the measure that was chosen. */
function standing(edge: Edge, other: boolean, { comparison, colouring }: State): string {
  if (other) return "there";
  const step = colouring?.step(edge);
  if (colouring) return step == null ? "plain" : `level-${step}`;
  return comparison?.verdicts.get(pairKey(edge.from, edge.to)) ?? "plain";
}

const line = (name: string, colour: string, more = ""): string => `.edge.${name} .line { stroke: ${colour}${more} } .edge.${name} .head { fill: ${colour} }\n`;

const PAPER = `
.paper { fill: #ffffff }
.node rect { fill: #e4eff9; stroke: #3b76ab; stroke-width: 1.5 }
.node text { fill: #12324f; font-size: 14px }
.edge .line { fill: none; stroke: #2b3a48 } .edge .head { fill: #2b3a48 }
${line("here", "#c2571a")}${line("turned", "#7b3fb0")}${line("there", "#8794a1", "; stroke-dasharray: 6 5")}
${["#a3aeb8", "#74a3cc", "#3a84c4", "#1a5a9c", "#0b2f6b"].map((colour, at) => line(`level-${at}`, colour)).join("")}`;
