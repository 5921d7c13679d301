// How far the runs are: one stream for all of them, because a browser opens six connections to a server and no more.

import { type Progress, api } from "./api.ts";

/** Answers false when it need not be told any more. */
type Told = (progress: Progress) => boolean;

const followed = new Map<string, Set<Told>>();
let stream: EventSource | null = null;

/** Tells how far a run is until it is over, or until `told` answers false. */
export function followRun(run: string, told: Told): void {
  const tellers = followed.get(run) ?? new Set();
  followed.set(run, tellers.add(told));
  // A stream begins with the state of all runs, so that whoever comes later hears of runs that are over by now.
  stream?.close();
  stream = new EventSource("api/progress");
  stream.addEventListener("message", (event) => tell(JSON.parse(event.data as string) as Record<string, Progress>));
  stream.addEventListener("error", () => {
    if (stream?.readyState !== EventSource.CLOSED) return;
    tell(Object.fromEntries([...followed.keys()].map((id) => [id, { status: "failed", words: "the server does not answer", done: 0, total: null }])));
  });
}

function tell(runs: Record<string, Progress>): void {
  for (const [run, tellers] of followed) {
    const progress = Object.hasOwn(runs, run) ? runs[run] : undefined;
    if (progress === undefined) void forgotten(run);
    else told(run, tellers, progress);
  }
  if (followed.size > 0) return;
  stream?.close();
  stream = null;
}

function told(run: string, tellers: Set<Told>, progress: Progress): void {
  for (const teller of tellers) if (!teller(progress)) tellers.delete(teller);
  if (tellers.size === 0 || ["done", "failed", "cancelled"].includes(progress.status)) followed.delete(run);
}

/** A run that the server no longer speaks of ended long ago, in whichever way the list says. */
async function forgotten(run: string): Promise<void> {
  const { going, finished } = await api.runs();
  const tellers = followed.get(run);
  if (tellers === undefined || going.some(({ id }) => id === run)) return;
  const kept = finished.find(({ id }) => id === run);
  told(run, tellers, { status: kept?.status ?? "cancelled", words: kept?.message ?? "cancelled", done: 0, total: null });
}
