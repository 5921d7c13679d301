// What the page is given: the `npvar-graph/1` object and what belongs to its run.

/** What an object has under a name of its own: a column may be called `constructor`, which every object inherits. */
export const own = <T>(object: Record<string, T> | null | undefined, name: string): T | undefined =>
  object != null && Object.hasOwn(object, name) ? object[name] : undefined;

/** The last three have circles: marks of which the data do not tell whether they are heads or tails. */
export type Kind = "directed" | "undirected" | "bidirected" | "partially-directed" | "undetermined" | "partially-undirected";

export interface Edge {
  from: string;
  to: string;
  kind: Kind;
  p_value?: number | null;
  strength?: number | null;
  /** The share of bootstrap samples in which this very edge was found. */
  frequency?: number | null;
  /** What leaving the edge out costs, and what the best order with it turned round costs. */
  without_nats?: number | null;
  turned_nats?: number | null;
  /** The coefficient of a linear learner. */
  weight?: number | null;
}

export interface Verdict {
  level: "believable" | "directions-doubtful" | "not-usable";
  sentence: string;
  next: string | null;
}

/** What was done to the table, column by column or rule by rule. */
export interface Intake {
  column?: string | null;
  did: string;
  why?: string | null;
}

export interface Test {
  from: string;
  to: string;
  p_value: number;
  statistic: number;
  edf: number;
}

export interface Step {
  given: string[];
  eta: number;
  residual_variances: Record<string, number>;
  standard_errors?: Record<string, number> | null;
  /** How far the runner-up was above the last node chosen. */
  margin?: { winner: string; runner_up: string; lead: number; standard_error: number } | null;
}

export interface Diagnostic {
  level: "info" | "warning";
  code: string;
  message: string;
  /** What to do about it. */
  advice?: string | null;
}

export interface Pair {
  from: string;
  to: string;
}

export interface Bootstrap {
  replicates: number;
  failed?: number;
  resampling?: "with-replacement" | "half";
  /** Every edge found at least once; without a kind it is directed. */
  edges: (Pair & { kind?: Kind; frequency: number })[];
  /** What a position is. */
  position?: "layer" | "order" | null;
  /** For every node, the share of replicates in which it stood at each position. */
  positions?: Record<string, number[]> | null;
  consensus?: (Pair & { kind?: Kind })[] | null;
}

/** The model behind curves or standard errors. */
export interface FittedModel {
  origin: "learner" | "stand-in";
  kind: string;
  smoothing?: string;
}

/** The partial effect of a parent in the child's fitted model. */
export interface Curve extends Pair {
  x: number[];
  fit: number[];
  lower?: number[] | null;
  upper?: number[] | null;
}

export interface Graph {
  nodes: string[];
  edges: Edge[];
}

export interface GraphDocument extends Graph {
  format: string;
  tests?: Test[] | null;
  order?: string[] | null;
  layers?: string[][] | null;
  steps?: Step[] | null;
  diagnostics: Diagnostic[];
  verdict?: Verdict | null;
  intake?: Intake[] | null;
  bootstrap?: Bootstrap | null;
  curves?: Curve[] | null;
  curve_model?: FittedModel | null;
  residual_model?: FittedModel | null;
  learner: { algorithm: string; [option: string]: unknown };
  seed: number;
  version: string;
  timing?: Record<string, number> | null;
}

/** A thinned sample of the rows, for the points behind a curve. */
export interface Sample {
  rows: number;
  columns: Record<string, number[]>;
}

/** Which way the layers follow each other. */
export type Direction = "across" | "down";

/** A node's name in lines, and the box around them. */
export interface Box {
  lines: string[];
  width: number;
  height: number;
}

/** The middle of every node, and every edge as a Bézier curve: `x, y` of a point, then of three for every piece. */
export interface Placed {
  nodes: [number, number][];
  routes: number[][];
}

export interface Places {
  boxes: Box[];
  paths: Record<Direction, Placed>;
  layers: Record<Direction, Placed> | null;
}

export interface Report {
  format: "npvar-report/1";
  title: string;
  samples: number | null;
  document: GraphDocument;
  /** Where the program placed the document's nodes and edges, in their order. */
  places: Places;
  sample?: Sample | null;
  truth?: (Graph & { name?: string; note?: string }) | null;
  note?: string | null;
  repeat: { command: string; python: string };
}

/** One name for a pair, whatever the direction. */
export const pairKey = (a: string, b: string): string => (a < b ? `${a}\u0000${b}` : `${b}\u0000${a}`);
export const edgeKey = (edge: Pair): string => `${edge.from}\u0000${edge.to}`;

const ARROWS: Record<Kind, [string, string]> = {
  directed: ["→", "to"],
  undirected: ["—", "and, undirected,"],
  bidirected: ["↔", "and, in both directions,"],
  "partially-directed": ["○→", "perhaps to"],
  undetermined: ["○–○", "and, undetermined,"],
  "partially-undirected": ["○—", "and, undetermined at the first,"],
};
export const KINDS = Object.keys(ARROWS) as Kind[];
export const arrow = (kind: Kind): string => ARROWS[kind][0];
const spokenArrow = (kind: Kind): string => ARROWS[kind][1];

export const edgeName = (edge: Edge): string => `${edge.from} ${arrow(edge.kind)} ${edge.to}`;
export const spokenEdge = (edge: Edge): string => `${edge.from} ${spokenArrow(edge.kind)} ${edge.to}`;
