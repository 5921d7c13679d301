// The page of `npvar serve`: choose a table, a learner and its options, run, and look at what was learned.

import { type About, type Finished, type Progress, type Table, api, reportAddress } from "./api.ts";
import type { Offer } from "./controls.ts";
import { button, freshId, html, section, sentence } from "./dom.ts";
import { type Form, learnerForm } from "./form.ts";
import { brief, count, seconds } from "./numbers.ts";
import { showReport } from "./report.ts";
import { themeChoice } from "./theme.ts";

const body = html("div");
const problem = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function start(): Promise<void> {
  const about = await api.about();
  document.body.append(
    html("a", { class: "skip", href: "#content" }, "Skip to the content"),
    html("nav", { class: "top", "aria-label": "Page" }, html("strong", {}, "npvar"), html("span", { class: "quiet" }, `version ${about.version} · on this machine only`), themeChoice()),
    body,
  );
  const show = (): void => {
    const run = new URLSearchParams(location.hash.slice(1)).get("run");
    void (run === null ? home(about) : reportPage(run)).catch((error: unknown) => {
      body.replaceChildren(html("main", { class: "app", id: "content" }, html("p", { class: "problem", role: "alert" }, problem(error)), button("Back to the start", goHome)));
    });
  };
  addEventListener("hashchange", show);
  show();
}

const goHome = (): void => {
  location.hash = "";
};

async function reportPage(run: string): Promise<void> {
  const [report, runs] = await Promise.all([api.report(run), api.runs()]);
  const others = runs.finished.filter(({ id, status, nodes }) => id !== run && status === "done" && nodes === report.document.nodes.length);
  const offers = others.slice(0, 30).map((other): Offer => ({
    name: `${other.learner} on ${other.title}, ${time(other)}`,
    graph: async () => (await api.report(other.id)).document,
  }));
  document.title = `${report.title} · npvar`;
  const download = html("a", { class: "as-button", href: reportAddress(run), download: "report.html" }, "Save the report as a file");
  body.replaceChildren(html("div", { class: "back" }, button("← All runs", goHome), download), showReport(report, offers));
  scrollTo(0, 0);
}

const time = ({ finished }: Finished): string => new Date(1000 * finished).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

async function home(about: About): Promise<void> {
  document.title = "npvar";
  const setup = html("div");
  const past = html("div");
  const refresh = async (): Promise<void> => past.replaceChildren(await history(refresh));
  const chosen = (table: Table): void => {
    const next = runForm(about, table, chosen, refresh);
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
  const file = html("input", { id: fileId, type: "file", accept: ".csv,.tsv,.txt,.dat,.parquet,.pq,.arrow,.ipc,.feather" });
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
    html("label", { for: fileId }, "Drop a CSV, TSV, Parquet or Arrow file here, or choose one"),
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

function runForm(about: About, table: Table, reread: (table: Table) => void, refresh: () => Promise<void>): HTMLElement {
  const { preview } = table;
  const alert = html("p", { class: "problem", role: "alert" });
  const boxes = new Map(preview.columns.map(({ name }) => [name, html("input", { type: "checkbox", checked: true, "aria-label": `Use ${name}` })]));
  const header = html("input", { type: "checkbox", checked: table.header });
  header.addEventListener("change", () => {
    api.look(table.id, header.checked).then(reread, (error: unknown) => (alert.textContent = problem(error)));
  });
  const learnerId = freshId("learner");
  const learner = html("select", { id: learnerId }, ...about.learners.map(({ name, summary }) => html("option", { value: name }, `${name}: ${summary}`)));
  const assumes = html("p", { class: "quiet" });
  const options = html("div");
  let form: Form;
  const choose = (): void => {
    const chosen = about.learners.find(({ name }) => name === learner.value)!;
    assumes.replaceChildren("Assumes: ", ...sentence(chosen.assumes));
    form = learnerForm(chosen.options);
    options.replaceChildren(form.element);
  };
  learner.addEventListener("change", choose);
  choose();
  const seedId = freshId("seed");
  const seed = html("input", { id: seedId, type: "number", min: 0, step: 1, placeholder: "any" });
  const [bootstrapId, resamplingId] = [freshId("bootstrap"), freshId("resampling")];
  const bootstrap = html("input", { id: bootstrapId, type: "number", min: 1, step: 1, placeholder: "none" });
  const resampling = html(
    "select",
    { id: resamplingId },
    html("option", { value: "with-replacement" }, "rows with replacement"),
    html("option", { value: "half" }, "half of the rows"),
  );
  const going = html("div");
  const run = button("Learn the graph", () => void submit(), { class: "primary" });
  const submit = async (): Promise<void> => {
    alert.textContent = "";
    const columns = [...boxes].filter(([, box]) => box.checked).map(([name]) => name);
    if (columns.length < 2) {
      alert.textContent = "A graph needs at least two columns.";
      return;
    }
    run.disabled = true;
    try {
      const all = columns.length === boxes.size && preview.left_out.length === 0;
      const { id } = await api.run({
        table: table.id,
        learner: learner.value,
        settings: form.settings(),
        columns: all ? [] : columns,
        header: table.header,
        drop_missing: preview.dropped > 0,
        seed: seed.value === "" ? null : seed.valueAsNumber,
        bootstrap: bootstrap.value === "" ? null : bootstrap.valueAsNumber,
        resampling: resampling.value,
      });
      going.replaceChildren(follow(id, table.name, learner.value, () => void refresh(), true));
    } catch (error) {
      alert.textContent = problem(error);
    } finally {
      run.disabled = false;
    }
  };
  const rows = preview.columns.map((column) =>
    html(
      "tr",
      {},
      html("td", {}, boxes.get(column.name)!, " ", column.name),
      ...[column.min, column.mean, column.max, column.standard_deviation].map((value) => html("td", { class: "number" }, brief(value))),
      html("td", { class: "number" }, column.distinct >= 100 ? "100 or more" : String(column.distinct)),
      html("td", { class: "quiet" }, column.first.map(brief).join(", ")),
    ),
  );
  const heads = ["Column", "Least", "Mean", "Largest", "Std. dev.", "Distinct", "First values"];
  const columnsTable = html(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Columns" },
    html("table", { class: "columns-table" }, html("thead", {}, html("tr", {}, ...heads.map((head, at) => html("th", { scope: "col", class: at > 0 && at < 6 ? "number" : "" }, html("span", {}, head))))), html("tbody", {}, ...rows)),
  );
  const notes = [
    ...(preview.dropped > 0 ? [`${count(preview.dropped, "row")} with missing values will be left out.`] : []),
    ...preview.left_out.map(({ name, why }) => `Column \`${name}\` is left out: ${why}.`),
  ];
  const part = section(
    table.name,
    html("p", { class: "quiet" }, `${count(preview.rows, "row")} of ${count(preview.columns.length, "column")}.`),
    table.note ? html("p", { class: "note" }, ...sentence(table.note)) : null,
    ...notes.map((note) => html("p", { class: "quiet" }, ...sentence(note))),
    html("label", { class: "check" }, header, " The first row of a text file holds the names"),
    columnsTable,
    html("div", { class: "toolbar" }, html("div", { class: "group" }, html("label", { for: learnerId }, "Learner"), learner), html("div", { class: "group" }, html("label", { for: seedId }, "Seed"), seed)),
    html(
      "div",
      { class: "toolbar" },
      html("div", { class: "group" }, html("label", { for: bootstrapId }, "Bootstrap samples"), bootstrap),
      html("div", { class: "group" }, html("label", { for: resamplingId }, "each of"), resampling),
    ),
    html("p", { class: "quiet" }, "How often does each edge come back when the rows are drawn anew? 200 samples are usual; each costs as much as the run itself."),
    assumes,
    html("details", {}, html("summary", {}, "Options"), options),
    html("div", { class: "toolbar" }, run),
    alert,
    going,
  );
  part.querySelector("h2")!.setAttribute("tabindex", "-1");
  return part;
}

/** A run that goes on: how far it is, and a way to stop it. */
function follow(id: string, title: string, learner: string, over: () => void, thenOpen: boolean): HTMLElement {
  const words = html("p", { "aria-live": "polite" });
  const bar = html("progress", { "aria-label": `Progress of ${learner} on ${title}` });
  const cancel = button("Cancel", () => void api.cancel(id).catch(() => undefined), { "aria-label": `Cancel ${learner} on ${title}` });
  const element = html("div", { class: "going" }, html("header", {}, html("strong", {}, `${learner} on ${title}`), cancel), words, bar);
  api.follow(id, (progress: Progress) => {
    const { status, done, total } = progress;
    words.textContent = `${progress.words ?? ""}${total === null || total === 0 ? "" : ` (${done} of ${total})`}`;
    if (total) {
      bar.max = total;
      bar.value = done;
    } else bar.removeAttribute("value");
    if (status === "queued" || status === "running") return;
    bar.remove();
    cancel.remove();
    words.classList.toggle("problem", status === "failed");
    words.setAttribute("role", "status");
    if (status === "done" && thenOpen) location.hash = `run=${id}`;
    else over();
  });
  return element;
}

async function history(refresh: () => Promise<void>): Promise<HTMLElement> {
  const { going, finished } = await api.runs();
  const line = (run: Finished): HTMLElement => {
    const what =
      run.status === "done"
        ? `${count(run.nodes, "node")}, ${count(run.edges, "edge")}${run.warnings ? `, ${count(run.warnings, "warning")}` : ""}`
        : `failed: ${run.message ?? ""}`;
    const remove = button("Delete", () => void (confirmed(remove) ? api.remove(run.id).then(refresh) : undefined), { class: "small danger", "aria-label": `Delete ${run.learner} on ${run.title}` });
    const open = run.status === "done" ? html("a", { href: `#run=${run.id}` }, `${run.learner} on ${run.title}`) : `${run.learner} on ${run.title}`;
    return html("tr", {}, html("td", {}, open), html("td", { class: run.status === "done" ? "result" : "result problem" }, ...sentence(what)), html("td", { class: "number" }, seconds(run.seconds)), html("td", { class: "when" }, time(run)), html("td", { class: "actions" }, remove));
  };
  const heads = ["Run", "Result", "Took", "When", ""];
  return section(
    "Runs",
    ...going.map(({ id, title, learner }) => follow(id, title, learner, () => void refresh(), false)),
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
