// Where to draw the nodes and edges of a layered graph (Sugiyama's method), as the program's own pictures do.
//
// Edges over several layers pass through a bend in each; barycentre sweeps order the vertices of every layer so that
// few edges cross; then every vertex moves as near to the mean of its neighbours as the order and the distances allow.

export interface Point {
  x: number;
  y: number;
}

export interface Layout {
  /** One point per node: x is its layer. */
  nodes: Point[];
  /** For every edge the points it passes, its ends included. */
  routes: Point[][];
}

const SWEEPS = 16;
const ROUNDS = 30;
/** The least distance between two nodes is 1; with a bend between an edge and its neighbour, this. */
const BEND_DISTANCE = 0.5;
/** Beyond this many bends long edges run straight: their bends would push the nodes apart until none can be read. */
const MOST_BENDS = 400;

interface Vertices {
  nodes: number;
  layerOf: number[];
  layers: number[][];
  before: number[][];
  after: number[][];
}

export function place(layerOf: number[], edges: [number, number][]): Layout {
  const depth = layerOf.reduce((most, layer) => Math.max(most, layer + 1), 0);
  const vertices: Vertices = {
    nodes: layerOf.length,
    layerOf: [...layerOf],
    layers: Array.from({ length: depth }, () => []),
    before: layerOf.map(() => []),
    after: layerOf.map(() => []),
  };
  layerOf.forEach((layer, node) => vertices.layers[layer]!.push(node));
  const bends = edges.reduce((sum, [a, b]) => sum + Math.max(0, Math.abs(layerOf[a]! - layerOf[b]!) - 1), 0);
  const routes = edges.map(([from, to]) => route(vertices, from, to, bends <= MOST_BENDS));
  untangle(vertices);
  const heights = settle(vertices);
  const point = (vertex: number): Point => ({ x: vertices.layerOf[vertex]!, y: heights[vertex]! });
  return { nodes: layerOf.map((_, node) => point(node)), routes: routes.map((vertices) => vertices.map(point)) };
}

/** Adds an edge's bends and returns its vertices from end to end. */
function route(graph: Vertices, from: number, to: number, withBends: boolean): number[] {
  const [first, last] = [graph.layerOf[from]!, graph.layerOf[to]!];
  if (first > last) return route(graph, to, from, withBends).reverse();
  const found = [from];
  for (let layer = first + 1; withBends && layer < last; layer += 1) {
    const bend = graph.layerOf.length;
    graph.layerOf.push(layer);
    graph.layers[layer]!.push(bend);
    graph.before.push([]);
    graph.after.push([]);
    found.push(bend);
  }
  found.push(to);
  if (first < last) {
    for (let i = 1; i < found.length; i += 1) {
      graph.after[found[i - 1]!]!.push(found[i]!);
      graph.before[found[i]!]!.push(found[i - 1]!);
    }
  }
  return found;
}

/** Orders every layer by the mean place of its neighbours, back and forth, and keeps the best arrangement seen. */
function untangle(graph: Vertices): void {
  const place = new Array<number>(graph.layerOf.length).fill(0);
  const middle = [...place];
  const number = (layer: number[]): void =>
    layer.forEach((vertex, at) => {
      place[vertex] = at;
      middle[vertex] = at - (layer.length - 1) / 2;
    });
  graph.layers.forEach(number);
  let best = { crossings: crossings(graph, place), layers: graph.layers.map((layer) => [...layer]) };
  const last = graph.layers.length - 1;
  for (let sweep = 0; sweep < SWEEPS && best.crossings > 0; sweep += 1) {
    const forward = sweep % 2 === 0;
    for (let step = 1; step <= last; step += 1) {
      const at = forward ? step : last - step;
      const neighbours = forward ? graph.before : graph.after;
      const layer = graph.layers[at]!;
      // Relative to the middles of the layers, since edges without bends lead to any of them.
      const wanted = new Map(layer.map((vertex) => [vertex, mean(neighbours[vertex]!, middle) ?? middle[vertex]!]));
      layer.sort((a, b) => wanted.get(a)! - wanted.get(b)! || place[a]! - place[b]!);
      number(layer);
    }
    const now = crossings(graph, place);
    if (now < best.crossings) best = { crossings: now, layers: graph.layers.map((layer) => [...layer]) };
  }
  graph.layers = best.layers;
}

/** Counts inversions between neighbouring layers with a Fenwick tree, in O(edges · log); longer edges do not count. */
function crossings(graph: Vertices, place: number[]): number {
  let total = 0;
  for (let at = 0; at + 1 < graph.layers.length; at += 1) {
    const width = graph.layers[at + 1]!.length;
    const tree = new Array<number>(width + 1).fill(0);
    let seen = 0;
    for (const vertex of graph.layers[at]!) {
      const targets = graph.after[vertex]!.filter((next) => graph.layerOf[next] === at + 1).map((next) => place[next]!);
      for (const target of targets) {
        let upTo = 0;
        for (let i = target + 1; i > 0; i -= i & -i) upTo += tree[i]!;
        total += seen - upTo;
      }
      for (const target of targets) {
        for (let i = target + 1; i <= width; i += i & -i) tree[i]! += 1;
        seen += 1;
      }
    }
  }
  return total;
}

function settle(graph: Vertices): number[] {
  const heights = new Array<number>(graph.layerOf.length).fill(0);
  for (const layer of graph.layers) layer.forEach((vertex, at) => (heights[vertex] = at - (layer.length - 1) / 2));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const layer of graph.layers) {
      const wanted = layer.map((vertex) => {
        const [before, after] = [graph.before[vertex]!, graph.after[vertex]!];
        return mean(before.length ? (after.length ? [...before, ...after] : before) : after, heights) ?? heights[vertex]!;
      });
      const distances = layer.slice(1).map((vertex, i) => (vertex < graph.nodes && layer[i]! < graph.nodes ? 1 : BEND_DISTANCE));
      nearestWithDistances(wanted, distances).forEach((height, i) => (heights[layer[i]!] = height));
    }
  }
  const top = heights.reduce((least, height) => Math.min(least, height), Infinity);
  return heights.map((height) => height - (Number.isFinite(top) ? top : 0));
}

/** The heights nearest to the wanted ones that keep their order and distances: isotonic regression. */
export function nearestWithDistances(wanted: number[], distances: number[]): number[] {
  const offsets = [0];
  for (const distance of distances) offsets.push(offsets[offsets.length - 1]! + distance);
  const pools: { value: number; size: number }[] = [];
  wanted.forEach((want, i) => {
    let pool = { value: want - offsets[i]!, size: 1 };
    for (let last = pools.at(-1); last && last.value > pool.value; last = pools.at(-1)) {
      const size = pool.size + last.size;
      pool = { value: (pool.value * pool.size + last.value * last.size) / size, size };
      pools.pop();
    }
    pools.push(pool);
  });
  return pools.flatMap(({ value, size }) => new Array<number>(size).fill(value)).map((value, i) => value + offsets[i]!);
}

function mean(vertices: number[], values: number[]): number | undefined {
  if (vertices.length === 0) return undefined;
  let sum = 0;
  for (const vertex of vertices) sum += values[vertex]!;
  return sum / vertices.length;
}

/** The length of the longest path to every node; edges that would close a cycle are left out. */
export function depths(nodes: number, edges: [number, number][]): number[] {
  const children: number[][] = Array.from({ length: nodes }, () => []);
  const parents = new Array<number>(nodes).fill(0);
  for (const [from, to] of edges) {
    children[from]!.push(to);
    parents[to]! += 1;
  }
  const depth = new Array<number>(nodes).fill(0);
  const done = new Array<boolean>(nodes).fill(false);
  const ready = parents.flatMap((waiting, node) => (waiting === 0 ? [node] : []));
  for (let finished = 0; finished < nodes; finished += 1) {
    let node = ready.shift();
    if (node === undefined) node = done.indexOf(false);
    if (done[node]) {
      finished -= 1;
      continue;
    }
    done[node] = true;
    for (const child of children[node]!) {
      if (done[child]) continue;
      depth[child] = Math.max(depth[child]!, depth[node]! + 1);
      parents[child]! -= 1;
      if (parents[child] === 0) ready.push(child);
    }
  }
  return depth;
}
