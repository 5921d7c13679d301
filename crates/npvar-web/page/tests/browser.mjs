// One Chromium for a test file, and pages that note everything a page must not do.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const LAPTOP = { width: 1366, height: 768 };
export const PHONE = { width: 360, height: 740 };

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

/** A page that has no network (unless it is given an origin), with what went wrong on it. */
export async function open(browser, address, { origin = null, ...options } = {}) {
  const context = await browser.newContext({ viewport: LAPTOP, acceptDownloads: true, ...options });
  // Everything here is waited for by what happens; this only ends a test that has failed.
  context.setDefaultTimeout(600_000);
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("dialog", (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    const own = url === address || url.startsWith("blob:") || url.startsWith("data:") || (origin !== null && url.startsWith(origin));
    if (!own) troubles.push(`request: ${url}`);
  });
  await page.goto(address);
  return { page, troubles, close: () => context.close() };
}

/** What a checker of accessibility rules finds, as one line per rule. */
export async function accessibility(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ html }) => html.slice(0, 90)).slice(0, 3).join(" | ")})`);
}
