// Making elements. Text always goes in as text, never as markup.

type Attributes = Record<string, string | number | boolean | null | undefined>;
type Child = Node | string | null | undefined | false;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

export function html<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg<T extends keyof SVGElementTagNameMap>(
  tag: T,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[T] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

export function button(label: string, action: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const element = html("button", { type: "button", ...attributes }, label);
  element.addEventListener("click", action);
  return element;
}

let used = 0;
/** An id that no other element has. */
export const freshId = (word: string): string => `${word}-${(used += 1)}`;

export function section(title: string, ...children: Child[]): HTMLElement {
  const id = freshId("section");
  return html("section", { "aria-labelledby": id }, html("h2", { id }, title), ...children);
}

/** A sentence whose names stand in backticks. */
export function sentence(text: string): Node[] {
  return text.split("`").map((part, i) => (i % 2 === 1 ? command(part) : new Text(part)));
}

/** Words longer than this may be broken. */
const WHOLE = 28;

/** A name or a command: lines break between words, not at the hyphens of an option. */
export function command(text: string): HTMLElement {
  const words = text.split(/( )/).map((word) => (word.includes("-") && word.length <= WHOLE ? html("span", { class: "whole" }, word) : new Text(word)));
  return html("code", {}, ...words);
}

/** Offers a file for saving. */
export function save(name: string, content: Blob | string, type = "text/plain"): void {
  const blob = typeof content === "string" ? new Blob([content], { type: `${type};charset=utf-8` }) : content;
  const address = URL.createObjectURL(blob);
  const link = html("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A button that copies a text and says so. */
export function copyButton(text: () => string, what: string): HTMLButtonElement {
  const element = button("Copy", () => void copy(), { "aria-label": `Copy ${what}` });
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
    } catch {
      // Files opened from disk may not use the clipboard directly.
      const area = html("textarea", { class: "out-of-sight" });
      area.value = text();
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    element.textContent = "Copied";
    setTimeout(() => (element.textContent = "Copy"), 1500);
  };
  return element;
}
