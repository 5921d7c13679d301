// The options of a learner as a form, made from their description.

import { freshId, html, sentence } from "./dom.ts";

/** An option as the library describes it. */
export interface Option {
  name: string;
  default: unknown;
  description: string;
  takes: Takes;
}

type Takes =
  | { type: "value"; number: boolean; words: string[]; none: boolean }
  | { type: "table"; options: Option[] }
  | { type: "kinds"; of: string; kinds: { name: string; options: Option[] }[] };

type Of<Type> = Extract<Takes, { type: Type }>;

export interface Setting {
  key: string;
  value: unknown;
}

/** A form and the settings that differ from the defaults. */
export interface Form {
  element: HTMLElement;
  settings: () => Setting[];
  /** Sets an option as if it were typed; false where there is none of this key. */
  set: (key: string, value: unknown) => boolean;
}

export function learnerForm(options: Option[]): Form {
  return table(options, "");
}

function table(options: Option[], prefix: string): Form {
  const fields = options.map((option) => field(option, `${prefix}${option.name}`));
  return {
    element: html("div", { class: "options" }, ...fields.map(({ element }) => element)),
    settings: () => fields.flatMap(({ settings }) => settings()),
    set: (key, value) => fields.some((field) => field.set(key, value)),
  };
}

function field(option: Option, key: string): Form {
  const { takes } = option;
  if (takes.type === "value") return valueField(option, takes, key);
  if (takes.type === "kinds") return kindField(option, takes, key);
  const { element, settings, set } = table(takes.options, `${key}.`);
  return { element: html("fieldset", {}, html("legend", {}, option.name), element), settings, set };
}

/** A choice between kinds, each with options of its own. */
function kindField(option: Option, { kinds }: Of<"kinds">, key: string): Form {
  const id = freshId("option");
  const usual = (option.default as { kind: string }).kind;
  const select = choice(id, kinds.map(({ name }) => name), usual);
  const forms = new Map(kinds.map(({ name, options }) => [name, table(options, `${key}.`)]));
  const body = html("div");
  const chosen = (): Form => forms.get(select.value)!;
  const show = (): void => body.replaceChildren(chosen().element);
  select.addEventListener("change", show);
  show();
  const about = html("div", { class: "field" }, html("label", { for: id }, "kind"), select, describe(option));
  return {
    element: html("fieldset", {}, html("legend", {}, option.name), about, body),
    settings: () => [...(select.value === usual ? [] : [{ key, value: select.value }]), ...chosen().settings()],
    set: (wanted, value) => {
      if (wanted !== key) return wanted.startsWith(`${key}.`) && chosen().set(wanted, value);
      select.value = String(value);
      select.dispatchEvent(new Event("change", { bubbles: true }));
      return true;
    },
  };
}

function choice(id: string, words: string[], chosen: string): HTMLSelectElement {
  return html("select", { id }, ...words.map((word) => html("option", { value: word, selected: word === chosen }, word)));
}

function describe({ description }: Option): HTMLElement {
  return html("span", { class: "about" }, ...sentence(description));
}

function valueField(option: Option, { number, words }: Of<"value">, key: string): Form {
  const id = freshId("option");
  const usual = option.default;
  const wrap = html("div", { class: "field" });
  let read: () => unknown;
  let input: HTMLInputElement | HTMLSelectElement;
  if (!number && typeof usual === "string") {
    const select = choice(id, words, usual);
    [input, read] = [select, () => select.value];
  } else {
    const listId = freshId("words");
    const start = usual === null ? "" : String(usual);
    const text = html("input", { id, type: "text", value: start, placeholder: start || "automatic", list: words.length ? listId : null, autocomplete: "off", spellcheck: "false" });
    if (words.length) wrap.append(html("datalist", { id: listId }, ...words.map((word) => html("option", { value: word }))));
    [input, read] = [text, () => parsed(text.value, usual)];
  }
  input.addEventListener("input", () => wrap.classList.toggle("changed", read() !== usual));
  wrap.prepend(html("label", { for: id }, option.name), input);
  wrap.append(describe(option));
  return {
    element: wrap,
    settings: () => (read() === usual ? [] : [{ key, value: read() }]),
    set: (wanted, value) => {
      if (wanted !== key) return false;
      input.value = value === null ? "" : String(value);
      input.dispatchEvent(new Event("input", { bubbles: true }));
      return true;
    },
  };
}

/** A number where it is one, the default where the field is empty, otherwise a word. */
function parsed(text: string, usual: unknown): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return usual;
  return Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed);
}
