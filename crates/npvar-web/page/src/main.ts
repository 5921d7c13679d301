// The report as a file: the data stand in the page. They are one run's, or a comparison of learners.

import { showComparison } from "./comparison.ts";
import type { Report } from "./document.ts";
import { html } from "./dom.ts";
import { showReport } from "./report.ts";
import { themeChoice } from "./theme.ts";
import type { ComparisonPage } from "./votes.ts";

const given = JSON.parse(document.getElementById("npvar-data")!.textContent!) as Report | ComparisonPage;
const isComparison = given.format === "npvar-comparison/1";
document.title = `${given.title} · npvar`;
document.body.append(
  html("a", { class: "skip", href: "#report" }, "Skip to the report"),
  html("nav", { class: "top", "aria-label": "Page" }, html("strong", {}, "npvar"), html("span", { class: "quiet" }, `${isComparison ? "comparison" : "report"} · version ${given.document.version}`), themeChoice()),
  isComparison ? showComparison(given) : showReport(given),
);
