// Talking to the server. All addresses are relative to the page's, which holds the token.

import type { Intake, Report } from "./document.ts";
import type { Option, Setting } from "./form.ts";
import type { Knowledge } from "./knowledge.ts";

export interface Learner {
  name: string;
  summary: string;
  assumes: string;
  options: Option[];
}

export interface About {
  learners: Learner[];
  /** What may be done where values are missing, the usual first. */
  missing: { name: string; does: string }[];
  examples: { name: string; about: string }[];
  version: string;
  upload_bytes: number;
}

export interface Column {
  name: string;
  min: number;
  max: number;
  mean: number;
  standard_deviation: number;
  distinct: number;
  first: number[];
}

export interface Table {
  id: string;
  name: string;
  header: boolean;
  note: string | null;
  truth: string | null;
  preview: {
    rows: number;
    dropped: number;
    columns: Column[];
    left_out: { name: string; why: string }[];
    diagnostics: { message: string }[];
    intake?: Intake[];
  };
}

export interface Progress {
  status: "queued" | "running" | "done" | "failed" | "cancelled";
  words: string | null;
  done: number;
  total: number | null;
}

export interface Finished {
  id: string;
  title: string;
  learner: string;
  status: Progress["status"];
  message: string | null;
  samples: number;
  nodes: number;
  edges: number;
  warnings: number;
  seed: number;
  finished: number;
  seconds: number;
  /** What was asked for; runs of earlier versions do not know. */
  asked?: RunRequest | null;
  /** Why it is in the server's memory only. */
  not_kept?: string;
}

export interface Runs {
  going: { id: string; title: string; learner: string; progress: Progress }[];
  finished: Finished[];
}

export interface RunRequest {
  table: string;
  learner: string;
  settings: Setting[];
  columns: string[];
  header: boolean;
  missing?: string | null;
  seed: number | null;
  bootstrap: number | null;
  resampling: string;
  knowledge: Partial<Knowledge> | null;
}

async function ask<T>(method: string, path: string, body?: BodyInit): Promise<T> {
  let response: Response;
  try {
    const headers: Record<string, string> = typeof body === "string" ? { "content-type": "application/json" } : {};
    response = await fetch(`api/${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
  } catch {
    throw new Error("the server does not answer; is `npvar serve` still running?");
  }
  const answer = (await response.json().catch(() => ({}))) as { error?: string };
  if (!response.ok) throw new Error(answer.error ?? `the server answered ${response.status}`);
  return answer as T;
}

const id = encodeURIComponent;

export const api = {
  about: () => ask<About>("GET", "about"),
  upload: (file: File) => ask<Table>("POST", `tables?name=${id(file.name)}`, file),
  example: (name: string) => ask<Table>("POST", `examples/${id(name)}`),
  look: (table: string, header: boolean) => ask<Table>("GET", `tables/${id(table)}?header=${header}`),
  runs: () => ask<Runs>("GET", "runs"),
  run: (request: RunRequest) => ask<{ id: string }>("POST", "runs", JSON.stringify(request)),
  report: (run: string) => ask<Report>("GET", `runs/${id(run)}`),
  remove: (run: string) => ask<object>("DELETE", `runs/${id(run)}`),
  cancel: (run: string) => ask<object>("POST", `runs/${id(run)}/cancel`),
};

export const reportAddress = (run: string): string => `api/runs/${id(run)}/report.html`;
