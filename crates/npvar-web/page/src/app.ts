// The page of `npvar serve`: choose a table, a learner and its options, run, and look at what was learned.

import { type About, type Finished, type Progress, type RunRequest, type Table, api, reportAddress } from "./api.ts";
import type { Offer } from "./controls.ts";
import { button, freshId, html, section, sentence } from "./dom.ts";
import { followRun } from "./follow.ts";
import { asked as knowledgeAsked } from "./knowledge.ts";
import { count, seconds } from "./numbers.ts";
import { showReport } from "./report.ts";
import { problem, runForm } from "./run-form.ts";
import { runName } from "./run-names.ts";
import type { State } from "./state.ts";
import { themeChoice } from "./theme.ts";

const body = html("div");

async function start(): Promise<void> {
  const about = await api.about();
  document.body.append(
    html("a", { class: "skip", href: "#content" }, "Skip to the content"),
    html("nav", { class: "top", "aria-label": "Page" }, html("strong", {}, "npvar"), html("span", { class: "quiet" }, `version ${about.version} · on this machine only`), themeChoice()),
    body,
  );
  const show = (): void => {
    const asked = new URLSearchParams(location.hash.slice(1));
    const run = asked.get("run");
    document.documentElement.classList.remove("under-full");
    void (run === null ? home(about) : reportPage(about, run, asked.get("before"))).catch((error: unknown) => {
      body.replaceChildren(html("main", { class: "app", id: "content" }, html("p", { class: "problem", role: "alert" }, problem(error)), button("Back to the start", goHome)));
    });
  };
  addEventListener("hashchange", show);
  show();
}

const goHome = (): void => {
  location.hash = "";
};

async function reportPage(about: About, run: string, before: string | null): Promise<void> {
  const [report, runs] = await Promise.all([api.report(run), api.runs()]);
  const asked = runs.finished.find(({ id }) => id === run)?.asked ?? null;
  const others = runs.finished.filter(({ id, status }) => id !== run && status === "done");
  const mine = new Set(report.document.nodes);
  const alike = others.filter(({ id, title, nodes }) => id === before || title === report.title || nodes === mine.size);
  const offers = alike.slice(0, 30).map((other): Offer => ({
    name: other.id === before ? `the run before (${runName(other, runs.finished)})` : `${runName(other, runs.finished)}, ${time(other)}`,
    graph: async () => (await api.report(other.id)).document,
    atOnce: other.id === before,
  }));
  document.title = `${report.title} · npvar`;
  const download = html("a", { class: "as-button", href: reportAddress(run), download: "report.html" }, "Save the report as a file");
  const again = (state: State): HTMLElement => runAgain(about, run, asked, state);
  body.replaceChildren(html("div", { class: "back" }, button("← All runs", goHome), download), showReport(report, { offers, again, knowledge: asked?.knowledge ?? null }));
  scrollTo(0, 0);
}

/** The form of this run, to change and send; the answer is then compared with this one. */
function runAgain(about: About, run: string, asked: RunRequest | null, state: State): HTMLElement {
  const place = html("div", { class: "again" });
  const opened = (id: string): string => `run=${id}&before=${run}`;
  const use = (table: Table): void => {
    const begin = asked ?? { table: table.id, learner: state.report.document.learner.algorithm, settings: [], columns: [], header: true, seed: null, bootstrap: null, resampling: "with-replacement", knowledge: null };
    place.replaceChildren(
      runForm(about, table, { begin, knowledge: () => knowledgeAsked(state.knowledge), reread: use, submit: "Run again", sent: (id, learner) => follow(id, table.name, learner, () => undefined, opened(id)) }),
    );
  };
  const gone = (): void => {
    const words = html("p", { class: "quiet" }, `The server no longer holds ${state.report.title}; choose the file again to change the run.`);
    place.replaceChildren(dataSection(about, use), words);
  };
  const open = (): void => {
    place.replaceChildren(html("p", { class: "quiet" }, "Reading the table …"));
    if (asked) api.look(asked.table, asked.header).then(use, gone);
    else gone();
  };
  place.append(button("Run again with changes", open, { class: "primary" }));
  return place;
}

const time = ({ finished }: Finished): string => new Date(1000 * finished).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

async function home(about: About): Promise<void> {
  document.title = "npvar";
  const setup = html("div");
  const past = html("div");
  const refresh = async (): Promise<void> => past.replaceChildren(await history(refresh));
  const chosen = (table: Table): void => {
    const next = runForm(about, table, { begin: null, knowledge: () => null, reread: chosen, submit: "Learn the graph", sent: (id, learner) => follow(id, table.name, learner, () => void refresh(), `run=${id}`) });
    setup.replaceChildren(next);
    next.scrollIntoView({ block: "nearest" });
    next.querySelector("h2")?.focus();
  };
  await refresh();
  body.replaceChildren(
    html("main", { class: "app", id: "content" }, html("h1", {}, "Learn a graph from a table"), dataSection(about, chosen), setup, past),
  );
}

function dataSection(about: About, chosen: (table: Table) => void): HTMLElement {
  const alert = html("p", { class: "problem", role: "alert" });
  const busy = html("p", { class: "quiet", "aria-live": "polite" });
  const use = async (words: string, table: Promise<Table>): Promise<void> => {
    alert.textContent = "";
    busy.textContent = words;
    try {
      chosen(await table);
    } catch (error) {
      alert.textContent = problem(error);
    } finally {
      busy.textContent = "";
    }
  };
  const take = (file: File | undefined): void => {
    if (!file) return;
    if (file.size > about.upload_bytes) alert.textContent = `${file.name} is larger than ${about.upload_bytes >> 20} MiB; use npvar learn for it.`;
    else void use(`Reading ${file.name} …`, api.upload(file));
  };
  const [fileId, exampleId] = [freshId("file"), freshId("example")];
  const file = html("input", { id: fileId, type: "file", accept: ".csv,.tsv,.txt,.dat,.gz,.xlsx,.ods,.parquet,.pq,.arrow,.ipc,.feather" });
  file.addEventListener("change", () => {
    take(file.files?.[0]);
    file.value = "";
  });
  const example = html("select", { id: exampleId }, html("option", { value: "" }, "choose one"), ...about.examples.map(({ name, about }) => html("option", { value: name }, `${name}: ${about}`)));
  example.addEventListener("change", () => {
    if (example.value) void use("Making the example …", api.example(example.value));
  });
  const drop = html(
    "div",
    { class: "drop" },
    html("label", { for: fileId }, "Drop a CSV, spreadsheet, Parquet or Arrow file here, or choose one"),
    file,
    html("div", { class: "group" }, html("label", { for: exampleId }, "or a built-in example"), example),
    busy,
  );
  for (const kind of ["dragover", "dragleave", "drop"] as const) {
    drop.addEventListener(kind, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", kind === "dragover");
      if (kind === "drop") take(event.dataTransfer?.files[0]);
    });
  }
  return section("Data", drop, alert);
}

/** A run that goes on: how far it is, and a way to stop it. */
function follow(id: string, title: string, learner: string, over: () => void, thenOpen: string | null): HTMLElement {
  const words = html("p", { "aria-live": "polite" });
  const bar = html("progress", { "aria-label": `Progress of ${learner} on ${title}` });
  const cancel = button("Cancel", () => void api.cancel(id).catch(() => undefined), { "aria-label": `Cancel ${learner} on ${title}` });
  const element = html("div", { class: "going" }, html("header", {}, html("strong", {}, `${learner} on ${title}`), cancel), words, bar);
  followRun(id, (progress: Progress) => {
    // What is no longer on the page opens nothing.
    if (!element.isConnected) return false;
    const { status, done, total } = progress;
    words.textContent = `${progress.words ?? ""}${total === null || total === 0 ? "" : ` (${done} of ${total})`}`;
    if (total) {
      bar.max = total;
      bar.value = done;
    } else bar.removeAttribute("value");
    if (status === "queued" || status === "running") return true;
    bar.remove();
    cancel.remove();
    words.classList.toggle("problem", status === "failed");
    words.setAttribute("role", "status");
    if (status === "done" && thenOpen !== null) location.hash = thenOpen;
    else over();
    return false;
  });
  return element;
}

async function history(refresh: () => Promise<void>): Promise<HTMLElement> {
  const { going, finished } = await api.runs();
  const line = (run: Finished): HTMLElement => {
    const what =
      run.status === "done"
        ? `${count(run.nodes, "node")}, ${count(run.edges, "edge")}${run.warnings ? `, ${count(run.warnings, "warning")}` : ""}${run.not_kept ? "; not on the disk, and gone when the server ends" : ""}`
        : `failed: ${run.message ?? ""}`;
    const remove = button("Delete", () => void (confirmed(remove) ? api.remove(run.id).then(refresh) : undefined), { class: "small danger", "aria-label": `Delete ${runName(run, finished)}` });
    const open = run.status === "done" ? html("a", { href: `#run=${run.id}` }, runName(run, finished)) : runName(run, finished);
    return html("tr", {}, html("td", {}, open), html("td", { class: run.status === "done" ? "result" : "result problem" }, ...sentence(what)), html("td", { class: "number" }, seconds(run.seconds)), html("td", { class: "when" }, time(run)), html("td", { class: "actions" }, remove));
  };
  const heads = ["Run", "Result", "Took", "When", ""];
  return section(
    "Runs",
    ...going.map(({ id, title, learner }) => follow(id, title, learner, () => void refresh(), null)),
    finished.length === 0
      ? html("p", { class: "quiet" }, "Finished runs are kept and listed here.")
      : html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Finished runs" }, html("table", {}, html("thead", {}, html("tr", {}, ...heads.map((head) => (head ? html("th", { scope: "col", class: head === "Took" ? "number" : "" }, html("span", {}, head)) : html("td"))))), html("tbody", {}, ...finished.map(line)))),
  );
}

/** The first press asks, the second means it. */
function confirmed(element: HTMLButtonElement): boolean {
  if (element.textContent === "Really?") return true;
  element.textContent = "Really?";
  setTimeout(() => (element.textContent = "Delete"), 3000);
  return false;
}

start().catch((error: unknown) => document.body.append(html("p", { class: "problem", role: "alert" }, problem(error))));
