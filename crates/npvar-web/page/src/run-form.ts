// From a table to a run: which columns, which learner, the few choices that matter, and all others under Advanced.

import { type About, type RunRequest, type Table, api } from "./api.ts";
import { button, freshId, html, section, sentence } from "./dom.ts";
import { type Form, learnerForm } from "./form.ts";
import type { Knowledge } from "./knowledge.ts";
import { described, plainChoices } from "./learner-words.ts";
import { brief, count } from "./numbers.ts";
import { intakeList } from "./verdict.ts";

export interface RunFormOptions {
  /** What the form begins with: the request of a run that is made again. */
  begin: RunRequest | null;
  /** What the reader knows, when the run is sent. */
  knowledge: () => Partial<Knowledge> | null;
  /** After the run is on its way: what shows its progress. */
  sent: (id: string, learner: string) => HTMLElement;
  reread: (table: Table) => void;
  submit: string;
}

export const problem = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const field = (label: string, input: HTMLElement, about = ""): HTMLElement => {
  input.id ||= freshId("field");
  return html("div", { class: "field" }, html("label", { for: input.id }, label), input, about ? html("span", { class: "about" }, about) : null);
};

export function runForm(about: About, table: Table, { begin, knowledge, sent, reread, submit }: RunFormOptions): HTMLElement {
  const { preview } = table;
  const alert = html("p", { class: "problem", role: "alert" });
  const asked = new Set(begin?.columns ?? []);
  const boxes = new Map(preview.columns.map(({ name }) => [name, html("input", { type: "checkbox", checked: asked.size === 0 || asked.has(name), "aria-label": `Use ${name}` })]));
  const header = html("input", { type: "checkbox", checked: table.header });
  header.addEventListener("change", () => {
    api.look(table.id, header.checked).then(reread, (error: unknown) => (alert.textContent = problem(error)));
  });
  const learner = html("select", {}, ...about.learners.map((one) => html("option", { value: one.name, selected: one.name === begin?.learner }, described(one))));
  const assumes = html("p", { class: "quiet" });
  const [basic, options] = [html("div", { class: "basic" }), html("div")];
  let form: Form;
  const choose = (): void => {
    const chosen = about.learners.find(({ name }) => name === learner.value)!;
    assumes.replaceChildren("Assumes: ", ...sentence(chosen.assumes));
    form = learnerForm(chosen.options);
    if (begin?.learner === chosen.name) for (const { key, value } of begin.settings) form.set(key, value);
    options.replaceChildren(form.element);
    basic.replaceChildren(...plainChoices(chosen).map((plain) => plainField(plain, form)), sure);
  };
  const bootstrap = html("input", { type: "number", min: 1, step: 1, placeholder: "none", value: begin?.bootstrap ?? "" });
  const sure = howSure(bootstrap);
  learner.addEventListener("change", choose);
  choose();
  const seed = html("input", { type: "number", min: 0, step: 1, placeholder: "any", value: begin?.seed ?? "" });
  const resampling = html(
    "select",
    {},
    html("option", { value: "with-replacement" }, "rows with replacement"),
    html("option", { value: "half", selected: begin?.resampling === "half" }, "half of the rows"),
  );
  const missing = html("select", {}, ...about.missing.map(({ name, does }) => html("option", { value: name, selected: name === (begin?.missing ?? "auto") }, `${name}: ${does}`)));
  const missingField = field("Missing values", missing);
  const lacks = preview.dropped > 0 || [...preview.left_out.map(({ why }) => why), ...preview.diagnostics.map(({ message }) => message), ...(preview.intake ?? []).map(({ did, why }) => `${did} ${why ?? ""}`)].some((words) => words.includes("missing"));
  const going = html("div");
  const run = button(submit, () => void send(), { class: "primary" });
  const send = async (): Promise<void> => {
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
        missing: missing.value,
        seed: seed.value === "" ? null : seed.valueAsNumber,
        bootstrap: bootstrap.value === "" ? null : bootstrap.valueAsNumber,
        resampling: resampling.value,
        knowledge: knowledge(),
      });
      going.replaceChildren(sent(id, learner.value));
    } catch (error) {
      alert.textContent = problem(error);
    } finally {
      run.disabled = false;
    }
  };
  const notes = [
    ...(preview.dropped > 0 ? [`${count(preview.dropped, "row")} with missing values will be left out, unless you choose otherwise below.`] : []),
    ...preview.left_out.map(({ name, why }) => `Column \`${name}\` is left out: ${why}.`),
    ...preview.diagnostics.map(({ message }) => message),
  ];
  const columns = columnsTable(table, boxes);
  const part = section(
    begin ? "Run again" : table.name,
    html("p", { class: "quiet" }, `${begin ? `${table.name}: ` : ""}${count(preview.rows, "row")} of ${count(preview.columns.length, "column")}.`),
    table.note && !begin ? html("p", { class: "note" }, ...sentence(table.note)) : null,
    ...notes.map((note) => html("p", { class: "quiet" }, ...sentence(note))),
    preview.intake?.length ? intakeList(preview.intake) : null,
    begin ? html("details", {}, html("summary", {}, "Columns"), columns) : columns,
    field("Learner", learner),
    assumes,
    basic,
    lacks ? missingField : null,
    html(
      "details",
      { class: "advanced" },
      html("summary", {}, "Advanced"),
      lacks ? null : missingField,
      html("label", { class: "check" }, header, " The first row of a text file holds the names"),
      html("div", { class: "options" }, field("Bootstrap samples", bootstrap, "Each costs as much as the run itself."), field("each of", resampling), field("Seed", seed, "The same seed gives the same answer.")),
      options,
    ),
    html("div", { class: "toolbar" }, run),
    alert,
    going,
  );
  part.querySelector("h2")!.setAttribute("tabindex", "-1");
  return part;
}

/** A choice in plain words over an option of the form below; what is set there by hand shows here as such. */
function plainField({ question, key, choices }: ReturnType<typeof plainChoices>[number], form: Form): HTMLElement {
  const own = "by-hand";
  const select = html("select", {}, ...choices.map(({ words }, at) => html("option", { value: at }, words)), html("option", { value: own, hidden: true }, "as set under Advanced"));
  const show = (): void => {
    const set = form.settings().find((setting) => setting.key === key);
    const usual = choices.findIndex(({ words }) => words.startsWith("usual") || words.startsWith("no:"));
    const at = set === undefined ? usual : choices.findIndex(({ value }) => value === set.value);
    select.value = at < 0 ? own : String(at);
  };
  select.addEventListener("change", () => {
    if (select.value !== own) form.set(key, choices[Number(select.value)]!.value);
  });
  form.element.addEventListener("input", show);
  form.element.addEventListener("change", show);
  show();
  return field(question, select);
}

/** How many samples say how stable it is; a number of one's own stands under Advanced. */
function howSure(bootstrap: HTMLInputElement): HTMLElement {
  const select = html(
    "select",
    {},
    html("option", { value: "" }, "just the graph (fast)"),
    html("option", { value: "50" }, "roughly how stable: 50 bootstrap samples"),
    html("option", { value: "200" }, "how stable: 200 bootstrap samples"),
    html("option", { value: "by-hand", hidden: true }, "as set under Advanced"),
  );
  const show = (): void => {
    select.value = ["", "50", "200"].includes(bootstrap.value) ? bootstrap.value : "by-hand";
  };
  select.addEventListener("change", () => {
    if (select.value !== "by-hand") bootstrap.value = select.value;
  });
  bootstrap.addEventListener("input", show);
  show();
  return field("How sure?", select);
}

function columnsTable({ preview }: Table, boxes: Map<string, HTMLInputElement>): HTMLElement {
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
  const head = heads.map((name, at) => html("th", { scope: "col", class: at > 0 && at < 6 ? "number" : "" }, html("span", {}, name)));
  return html(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Columns" },
    html("table", { class: "columns-table" }, html("thead", {}, html("tr", {}, ...head)), html("tbody", {}, ...rows)),
  );
}
