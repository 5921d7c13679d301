// The page of a comparison: learners on and off, edges by their votes.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { LAPTOP, PHONE, accessibility, launch, open } from "./browser.mjs";
import { comparison, writeReport } from "./made.mjs";

const folder = mkdtempSync(join(tmpdir(), "npvar-comparison-"));
let browser;

before(async () => {
  browser = await launch();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function on(body, options = {}) {
  const address = pathToFileURL(writeReport(folder, "comparison.html", comparison())).href;
  const { page, troubles, close } = await open(browser, address, { offline: true, ...options });
  try {
    await page.locator(".node").first().waitFor();
    await body(page);
    assert.deepEqual(troubles, []);
  } finally {
    await close();
  }
}

// The graph is drawn once its places are known, which is some time after the change that asks for it.
const drawn = (page, expected) =>
  page.waitForFunction((expected) => {
    const edges = [...document.querySelectorAll(".edge")];
    const known = edges.map((edge) => [edge.querySelector("title").textContent, edge.getAttribute("class").match(/level-\d/)[0]]);
    return JSON.stringify(known) === JSON.stringify(expected);
  }, expected);

test("learners are switched on and off, and the edges follow their votes", async () => {
  await on(async (page) => {
    assert.match(await page.locator(".verdict-box").textContent(), /Directions doubtful.*npvar learn t\.csv --learner cam/s);
    await drawn(page, [["a to b", "level-4"], ["b to c", "level-3"], ["c and, undirected, d", "level-2"]]);
    // Without the two that say b → c, the third's own direction is left.
    await page.getByLabel("Show the votes of cam").uncheck();
    await page.getByLabel("Show the votes of npvar").uncheck();
    await drawn(page, [["a to b", "level-4"], ["c to b", "level-2"], ["c to d", "level-2"]]);
    await page.getByRole("button", { name: "None" }).click();
    await page.locator(".graph-section").getByText("No edge has so many votes").waitFor();
    await page.getByRole("button", { name: "All learners" }).click();
    await page.getByLabel("At least").fill("4");
    await drawn(page, [["a to b", "level-4"]]);
    assert.ok(await page.getByLabel("Show the votes of resit").isDisabled(), "what refused the table has no votes");
  });
});

test("an edge tells who votes for it, and every assumption what the data say", async () => {
  await on(async (page) => {
    await page.locator(".edge .hit").nth(1).dispatchEvent("pointerdown", { button: 0, pointerId: 1, bubbles: true });
    await page.locator(".edge .hit").nth(1).dispatchEvent("pointerup", { button: 0, pointerId: 1, bubbles: true });
    const detail = page.locator(".detail", { hasText: /b → c.*cam.*b → c.*ges.*c → b.*pc.*no edge/s });
    await detail.waitFor();
    const said = await page.getByRole("region", { name: "Table of assumptions" }).locator("tbody tr").allTextContents();
    assert.match(said[0], /linear.*Rejected.*41\.2/s);
    const votes = await page.getByRole("region", { name: "Table of edges by votes" }).locator("tbody tr").allTextContents();
    assert.equal(votes[0], "a → b4000100 %");
  });
});

for (const [viewport, scheme] of [[LAPTOP, "light"], [LAPTOP, "dark"], [PHONE, "light"], [PHONE, "dark"]]) {
  test(`the comparison is accessible and fits ${viewport.width} pixels in ${scheme} colours`, async () => {
    await on(
      async (page) => {
        assert.deepEqual(await accessibility(page), []);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= viewport.width);
      },
      { viewport, colorScheme: scheme },
    );
  });
}
