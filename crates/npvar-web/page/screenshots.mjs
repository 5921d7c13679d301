// Takes the pictures of the guide from the demo's report: NPVAR=path/to/npvar node screenshots.mjs

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch, open } from "./tests/browser.mjs";

const docs = fileURLToPath(new URL("../../../docs/src/guide", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "npvar-pictures-"));
const browser = await launch();
try {
  execFileSync(process.env.NPVAR, ["demo"], { stdio: "ignore", cwd: folder });
  const address = pathToFileURL(join(folder, "npvar-demo", "report.html")).href;
  const picture = async (name, options, act) => {
    const { page, close } = await open(browser, address, options);
    await page.locator(".node").first().waitFor();
    await act(page);
    await page.mouse.move(0, 0);
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(docs, name) });
    await close();
  };
  await picture("report.png", { viewport: { width: 1280, height: 960 } }, async (page) => {
    await page.getByRole("button", { name: "Show X3 → X4" }).click();
    await page.evaluate(() => scrollTo(0, 0));
  });
  await picture("report-replay.png", { viewport: { width: 1280, height: 860 }, colorScheme: "dark" }, async (page) => {
    for (let step = 0; step < 7; step += 1) await page.getByRole("button", { name: "Next", exact: true }).click();
    await page.locator(".stage").evaluate((stage) => stage.scrollIntoView());
  });
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
