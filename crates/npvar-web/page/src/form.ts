// The options of a learner as a form, made from the schema of its configuration.

import { freshId, html, sentence } from "./dom.ts";

export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  maximum?: number;
}

export interface Setting {
  key: string;
  value: unknown;
}

/** A form and the settings that differ from the defaults, or a sentence about what is wrong. */
export interface Form {
  element: HTMLElement;
  settings: () => Setting[];
}

type Values = Record<string, unknown>;

export function learnerForm(root: Schema, algorithm: string, defaults: Values): Form {
  const variant = (root.oneOf ?? []).find((one) => resolve(root, one).properties?.algorithm?.const === algorithm) ?? {};
  const { elements, settings } = fields(root, merged(root, variant), defaults, "", ["algorithm"]);
  return { element: html("div", { class: "options" }, ...elements), settings };
}

function resolve(root: Schema, schema: Schema): Schema {
  const name = schema.$ref?.match(/^#\/\$defs\/(.+)$/)?.[1];
  return name === undefined ? schema : { ...resolve(root, root.$defs?.[name] ?? {}), ...without(schema, "$ref") };
}

function without(schema: Schema, key: keyof Schema): Schema {
  const { [key]: _, ...rest } = schema;
  return rest;
}

/** A schema with the properties of what it refers to and of all its parts. */
function merged(root: Schema, schema: Schema): Schema {
  const whole = resolve(root, schema);
  const parts = (whole.allOf ?? []).map((part) => merged(root, part));
  const own = schema.$ref ? merged(root, root.$defs?.[schema.$ref.replace("#/$defs/", "")] ?? {}) : {};
  return { ...whole, properties: Object.assign({}, own.properties, ...parts.map((part) => part.properties), whole.properties) };
}

interface Fields {
  elements: HTMLElement[];
  settings: () => Setting[];
}

function fields(root: Schema, schema: Schema, defaults: Values, prefix: string, skipped: string[]): Fields {
  const found = Object.entries(defaults)
    .filter(([key]) => !skipped.includes(key))
    .map(([key, value]) => field(root, key, schema.properties?.[key] ?? {}, value, `${prefix}${key}`));
  return { elements: found.map(({ element }) => element), settings: () => found.flatMap(({ settings }) => settings()) };
}

function field(root: Schema, name: string, schema: Schema, value: unknown, key: string): Form {
  const whole = merged(root, schema);
  const variants = [...(whole.oneOf ?? []), ...(whole.anyOf ?? [])].map((one) => merged(root, one));
  if (isTable(value)) {
    const kinds = variants.filter((one) => one.properties?.kind?.const !== undefined);
    if (kinds.length > 0) return kindField(root, name, whole, kinds, value, key);
    const { elements, settings } = fields(root, whole, value, `${key}.`, []);
    return { element: html("fieldset", {}, html("legend", {}, name), html("div", { class: "options" }, ...elements)), settings };
  }
  return plainField(name, whole, variants, value, key);
}

const isTable = (value: unknown): value is Values => typeof value === "object" && value !== null && !Array.isArray(value);

/** A choice between kinds, each with options of its own. */
function kindField(root: Schema, name: string, schema: Schema, kinds: Schema[], value: Values, key: string): Form {
  const id = freshId("option");
  const words = kinds.map((kind) => String(kind.properties!.kind!.const));
  const select = html("select", { id }, ...words.map((word) => html("option", { value: word, selected: word === value.kind }, word)));
  const body = html("div", { class: "options" });
  let inner: Fields = { elements: [], settings: () => [] };
  const build = (): void => {
    const kind = kinds[words.indexOf(select.value)]!;
    const defaults = select.value === value.kind ? value : defaultsOf(root, kind);
    inner = fields(root, kind, defaults, `${key}.`, ["kind"]);
    body.replaceChildren(...inner.elements);
  };
  select.addEventListener("change", build);
  build();
  const about = html("div", { class: "field" }, html("label", { for: id }, "kind"), select, describe(schema));
  return {
    element: html("fieldset", {}, html("legend", {}, name), about, body),
    settings: () => [...(select.value === value.kind ? [] : [{ key, value: select.value }]), ...inner.settings()],
  };
}

/** What the schema says the defaults of a kind are. */
function defaultsOf(root: Schema, schema: Schema): Values {
  const entries = Object.entries(schema.properties ?? {}).filter(([key]) => key !== "kind");
  return Object.fromEntries(entries.map(([key, property]) => [key, merged(root, property).default ?? null]));
}

function describe(schema: Schema): HTMLElement | null {
  return schema.description ? html("span", { class: "about" }, ...sentence(schema.description.replace(/\s+/g, " "))) : null;
}

function plainField(name: string, schema: Schema, variants: Schema[], value: unknown, key: string): Form {
  const id = freshId("option");
  const words = [...(schema.enum ?? []), ...variants.flatMap((one) => (one.const === undefined ? (one.enum ?? []) : [one.const]))].filter(
    (word): word is string => typeof word === "string",
  );
  const types = [schema.type, ...variants.map((one) => one.type)].flat().filter((type) => type !== undefined && type !== "null");
  const onlyWords = words.length > 0 && types.every((type) => type === "string");
  const wrap = html("div", { class: "field" });
  let read: () => unknown;
  let input: HTMLElement;
  if (onlyWords && typeof value === "string") {
    const select = html("select", { id }, ...words.map((word) => html("option", { value: word, selected: word === value }, word)));
    [input, read] = [select, () => select.value];
  } else if (typeof value === "boolean") {
    const box = html("input", { id, type: "checkbox", checked: value });
    [input, read] = [box, () => box.checked];
  } else {
    const listId = freshId("words");
    const start = value === null ? "" : String(value);
    const text = html("input", { id, type: "text", value: start, placeholder: value === null ? "automatic" : start, list: words.length ? listId : null, autocomplete: "off", spellcheck: "false" });
    if (words.length) wrap.append(html("datalist", { id: listId }, ...words.map((word) => html("option", { value: word }))));
    [input, read] = [text, () => parsed(text.value, value)];
  }
  input.addEventListener("input", () => wrap.classList.toggle("changed", read() !== value));
  wrap.prepend(html("label", { for: id }, name), input);
  const about = describe(schema);
  if (about) wrap.append(about);
  return { element: wrap, settings: () => (read() === value ? [] : [{ key, value: read() }]) };
}

/** A number where it is one, nothing where the field is empty, otherwise a word. */
function parsed(text: string, fallback: unknown): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return fallback === null ? null : fallback;
  return Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed);
}
