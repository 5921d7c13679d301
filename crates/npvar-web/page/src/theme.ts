// Light, dark, or as the system says.

import { html } from "./dom.ts";

const THEMES = ["auto", "light", "dark"] as const;

export function themeChoice(): HTMLElement {
  const select = html("select", { "aria-label": "Colours" }, ...THEMES.map((theme) => html("option", { value: theme }, theme === "auto" ? "system colours" : theme)));
  const apply = (theme: string): void => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  };
  try {
    select.value = localStorage.getItem("npvar-theme") ?? "auto";
  } catch {
    // A file opened from disk may have no storage; then the choice lasts as long as the page.
  }
  if (select.value === "") select.value = "auto";
  apply(select.value);
  select.addEventListener("change", () => {
    apply(select.value);
    try {
      localStorage.setItem("npvar-theme", select.value);
    } catch {
      // As above.
    }
  });
  return select;
}
