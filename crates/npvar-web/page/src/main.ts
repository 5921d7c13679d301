// The report as a file: the data stand in the page.

import type { Report } from "./document.ts";
import { html } from "./dom.ts";
import { showReport } from "./report.ts";
import { themeChoice } from "./theme.ts";

const report = JSON.parse(document.getElementById("npvar-data")!.textContent!) as Report;
document.title = `${report.title} · npvar`;
document.body.append(
  html("a", { class: "skip", href: "#report" }, "Skip to the report"),
  html("nav", { class: "top", "aria-label": "Page" }, html("strong", {}, "npvar"), html("span", { class: "quiet" }, `report · version ${report.document.version}`), themeChoice()),
  showReport(report),
);
