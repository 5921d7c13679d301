// `npvar serve`, in a browser: choose data, run, cancel, look, compare, come back after a restart.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { PHONE, accessibility, launch, open } from "./browser.mjs";
import { random } from "./made.mjs";

const npvar = process.env.NPVAR;
assert.ok(npvar, "NPVAR names the program under test");
const folder = mkdtempSync(join(tmpdir(), "npvar-serve-"));
let browser;
let server;

/** Starts the server and waits for its address. */
function serve() {
  const child = spawn(npvar, ["serve", "--history", join(folder, "runs"), "--upload-limit", "1"], { stdio: ["ignore", "pipe", "ignore"] });
  return new Promise((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`npvar serve ended with ${code}`)));
    child.stdout.once("data", (line) => resolve({ child, address: String(line).trim() }));
  });
}

/** Ends it at once, as a crash would. */
const crash = ({ child }) =>
  new Promise((done) => {
    child.removeAllListeners("exit");
    child.once("exit", done);
    child.kill("SIGKILL");
  });

before(async () => {
  [server, browser] = await Promise.all([serve(), launch()]);
});

after(async () => {
  await browser?.close();
  if (server) await crash(server);
  rmSync(folder, { recursive: true, force: true });
});

async function on(body, { hash = "", expected = [], ...options } = {}) {
  const { address } = server;
  const { page, troubles, close } = await open(browser, address + hash, { origin: new URL(address).origin, ...options });
  try {
    await body(page);
    // Chromium reports every refused request on its console.
    assert.deepEqual(troubles.filter((trouble) => !expected.some((part) => trouble.includes(part))), []);
  } finally {
    await close();
  }
}

/** A chain a → b → c of sines. */
function table(rows) {
  const next = random(3);
  const lines = ["a,b,c"];
  for (let i = 0; i < rows; i += 1) {
    const a = 2 * (next() + next() + next() - 1.5);
    const b = Math.sin(a) + 2 * (next() + next() + next() - 1.5);
    lines.push(`${a},${b},${Math.sin(b) + 2 * (next() + next() + next() - 1.5)}`);
  }
  return `${lines.join("\n")}\n`;
}

const file = (name, content) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

const upload = (page, path) => page.getByLabel(/^Drop a CSV/).setInputFiles(path);
const advanced = (page) => page.getByText("Advanced", { exact: true }).click();
const learn = (page) => page.getByRole("button", { name: "Learn the graph" }).click();

test("a dropped file is previewed, learned from, and shown with the options chosen", async () => {
  await on(async (page) => {
    await upload(page, file("chain.csv", table(600)));
    await page.getByRole("heading", { name: "chain.csv" }).waitFor();
    assert.equal(await page.locator(".columns-table tbody tr").count(), 3);
    assert.match(await page.locator(".columns-table").textContent(), /Least.*a.*b.*c/);
    await advanced(page);
    await page.getByRole("textbox", { name: "cutoff" }).fill("0.01");
    await page.getByLabel("Seed").fill("5");
    await learn(page);
    await page.getByRole("heading", { name: "How the order was found" }).waitFor();
    assert.equal(await page.locator("pre").first().textContent(), "npvar learn chain.csv --set cutoff=0.01 --seed 5");
    assert.ok((await page.locator(".edge").count()) >= 2);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Save the report as a file" }).click()]);
    const saved = join(folder, "saved.html");
    await download.saveAs(saved);
    assert.ok(readFileSync(saved, "utf8").startsWith("<!doctype html>"));
    await page.getByRole("button", { name: "← All runs" }).click();
    await page.getByRole("link", { name: "npvar on chain.csv" }).waitFor();
  });
});

test("bootstrap samples are asked for in the form and come back in the report", async () => {
  await on(
    async (page) => {
      await upload(page, file("chain.csv", table(300)));
      await advanced(page);
      await page.getByLabel("Seed").fill("5");
      await page.getByLabel("Bootstrap samples").fill("0");
      await learn(page);
      await page.getByRole("alert").getByText("`bootstrap` must be between 1 and 100000, got 0").waitFor();
      await page.getByLabel("Bootstrap samples").fill("20");
      await page.getByLabel("each of").selectOption("half");
      await learn(page);
      await page.getByRole("heading", { name: "How stable is it?" }).waitFor();
      assert.equal(await page.locator("pre").first().textContent(), "npvar learn chain.csv --bootstrap 20 --resampling half --seed 5");
      await page.getByRole("button", { name: "Show a → b" }).click();
      const detail = page.getByRole("complementary");
      assert.match(await detail.textContent(), /of 20 samples/);
      assert.equal(await detail.locator(".band").count(), 1);
    },
    { expected: ["400 (Bad Request)"] },
  );
});

test("what to do about missing values is chosen where there are some, and stands in the command", async () => {
  await on(async (page) => {
    const lines = table(300).split("\n").map((line, i) => (i % 50 === 7 ? line.replace(/^[^,]*/, "") : line));
    await upload(page, file("gaps.csv", lines.join("\n")));
    await page.getByLabel("Missing values").selectOption("drop-rows");
    await advanced(page);
    await page.getByLabel("Seed").fill("5");
    await learn(page);
    await page.getByRole("heading", { name: "How the order was found" }).waitFor();
    assert.equal(await page.locator("pre").first().textContent(), "npvar learn gaps.csv --missing drop-rows --seed 5");
  });
});

test("the form is made from each learner's description, kinds included", async () => {
  await on(async (page) => {
    await upload(page, file("chain.csv", table(200)));
    // The form is there once the file was looked at.
    await advanced(page);
    const learners = await page.getByLabel("Learner").locator("option").evaluateAll((options) => options.map((option) => option.value));
    assert.ok(learners.length >= 13);
    for (const learner of learners) {
      await page.getByLabel("Learner").selectOption(learner);
      assert.ok((await page.locator(".options .field").count()) > 0, learner);
    }
    await page.getByLabel("Learner").selectOption("pc");
    const test = page.locator("fieldset", { has: page.locator("legend", { hasText: "test" }) }).first();
    await test.getByLabel("kind").selectOption("kci");
    await page.getByLabel("alpha").fill("0.05");
    await page.getByLabel("Seed").fill("1");
    await learn(page);
    await page.getByRole("heading", { name: "Repeat this run" }).waitFor();
    const command = await page.locator("pre").first().textContent();
    assert.match(command, /--learner pc/);
    assert.match(command, /--set test=kci/);
    assert.match(command, /--set alpha=0\.05/);
  });
});

test("an option out of range is answered with a sentence", async () => {
  await on(
    async (page) => {
      await upload(page, file("chain.csv", table(100)));
      await advanced(page);
      await page.getByRole("textbox", { name: "cutoff" }).fill("7");
      await learn(page);
      await page.getByRole("alert").getByText("`cutoff` must be above 0 and at most 1, got 7").waitFor();
    },
    { expected: ["400 (Bad Request)"] },
  );
});

test("built-in examples come with a graph to compare with and an honest note", async () => {
  await on(async (page) => {
    await page.getByLabel("or a built-in example").selectOption("sachs");
    await page.getByText("not a measured truth").waitFor();
    await page.getByLabel("Learner").selectOption("eqvar");
    await advanced(page);
    await page.getByLabel("Seed").fill("1");
    await learn(page);
    await page.getByLabel("Compare with", { exact: true }).selectOption("the consensus network");
    const [both, , there, turned] = (await page.locator(".keys").textContent()).match(/\d+/g).map(Number);
    assert.equal(both + there + turned, 20);
  });
});

test("a run shows its progress and can be cancelled", async () => {
  await on(async (page) => {
    await upload(page, file("long.csv", table(1000)));
    await page.getByLabel("Learner").selectOption("gsges");
    // Hours of work: it ends only when it is cancelled.
    await advanced(page);
    await page.getByLabel("Bootstrap samples").fill("100000");
    await learn(page);
    await page.getByRole("button", { name: "Cancel gsges on long.csv" }).first().click();
    await page.locator(".going").getByText("cancelled").first().waitFor();
    assert.equal(await page.getByRole("link", { name: "gsges on long.csv" }).count(), 0);
  });
});

test("many runs at once leave the page its connections", async () => {
  await on(async (page) => {
    await upload(page, file("many.csv", table(1000)));
    await page.getByLabel("Learner").selectOption("gsges");
    await advanced(page);
    await page.getByLabel("Bootstrap samples").fill("100000");
    // More than the six connections that a browser opens to one server; each is shown in the form and in the list.
    for (let i = 0; i < 8; i += 1) {
      await learn(page);
      await page.waitForFunction((count) => fetch("api/runs").then((answer) => answer.json()).then(({ going }) => going.length === count), i + 1);
    }
    await page.reload();
    await page.locator(".going").nth(7).waitFor();
    // A page that has used up its connections could not ask for anything.
    assert.ok((await page.evaluate(() => fetch("api/about").then((answer) => answer.ok))));
    for (let left = 8; left > 0; left -= 1) {
      await page.getByRole("button", { name: "Cancel gsges on many.csv" }).first().click();
      await page.waitForFunction((count) => document.querySelectorAll(".going button").length === count, left - 1);
    }
  });
});

test("two runs are compared with each other", async () => {
  await on(async (page) => {
    for (const learner of ["npvar", "eqvar"]) {
      await upload(page, file("pair.csv", table(400)));
      await page.getByLabel("Learner").selectOption(learner);
      await learn(page);
      await page.getByRole("heading", { name: "Repeat this run" }).waitFor();
      if (learner === "npvar") await page.getByRole("button", { name: "← All runs" }).click();
    }
    const select = page.getByLabel("Compare with", { exact: true });
    const offer = select.locator("option", { hasText: /^npvar on pair\.csv/ }).first();
    await offer.waitFor({ state: "attached" });
    await select.selectOption(await offer.textContent());
    await page.locator(".comparison").getByText("in both").waitFor();
  });
});

test("how words are read is said before the run, and a phone has room for the names of other runs", async () => {
  const lines = table(200).trimEnd().split("\n");
  const words = lines.map((line, at) => `${line},${at === 0 ? "colour" : ["red", "green", "blue"][at % 3]}`).join("\n");
  await on(
    async (page) => {
      for (const strict of [0, 2]) {
        await upload(page, file("a table with a name that is longer than the window of a phone.csv", words));
        assert.match(await page.locator(".intake").textContent(), /colour: taken as a category \(3 words/);
        await page.getByLabel("How strict?").selectOption({ index: strict });
        await advanced(page);
        await page.getByLabel("Seed").fill("1");
        await learn(page);
        await page.locator(".node").first().waitFor();
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        await page.getByRole("button", { name: "← All runs" }).click();
        await page.getByRole("link", { name: "longer than the window" }).first().waitFor();
      }
    },
    { viewport: PHONE },
  );
});

test("a run is made again with what one knows, and compared with the one before", async () => {
  await on(async (page) => {
    await upload(page, file("again.csv", table(400)));
    await advanced(page);
    await page.getByLabel("Seed").fill("3");
    await learn(page);
    await page.getByRole("button", { name: "Show a → b" }).click();
    await page.getByRole("button", { name: "This cannot be" }).click();
    await page.getByRole("button", { name: "Run again with changes" }).click();
    await page.getByLabel("How strict?").selectOption({ index: 0 });
    const before = page.url();
    await page.getByRole("button", { name: "Run again", exact: true }).click();
    await page.waitForURL((address) => address.href !== before && address.hash.includes("before="));
    await page.locator(".comparison").getByText("only in the run before").first().waitFor();
    assert.equal(await page.getByRole("button", { name: "Show a → b" }).count(), 0);
    assert.match(await page.locator("pre", { hasText: "npvar learn" }).first().textContent(), /--knowledge knowledge\.toml/);
    assert.match(await page.locator(".knowledge pre").textContent(), /forbidden = \[\["a", "b"\]\]/, "what was known is still there");
    await page.getByRole("button", { name: "← All runs" }).click();
    await page.getByRole("link", { name: "npvar on again.csv · cutoff 0.01 · a → b cannot be" }).waitFor();
    await page.getByRole("link", { name: "npvar on again.csv", exact: true }).waitFor();
  });
});

test("the plain choices set the options that stand under Advanced", async () => {
  await on(async (page) => {
    await upload(page, file("plain.csv", table(100)));
    await advanced(page);
    await page.getByLabel("How strict?").selectOption({ index: 2 });
    assert.equal(await page.getByRole("textbox", { name: "cutoff" }).inputValue(), "0.000001");
    await page.getByRole("textbox", { name: "cutoff" }).fill("0.02");
    assert.equal(await page.getByLabel("How strict?").inputValue(), "by-hand");
    await page.getByLabel("May parents interact?").selectOption({ index: 1 });
    const estimator = page.locator("fieldset", { has: page.locator("legend", { hasText: "estimator" }) }).first();
    assert.equal(await estimator.getByLabel("kind").inputValue(), "gp");
    await page.getByLabel("How sure?").selectOption("50");
    assert.equal(await page.getByLabel("Bootstrap samples").inputValue(), "50");
  });
});

test("bad uploads are refused in a sentence, and the page goes on", async () => {
  await on(
    async (page) => {
      const alert = page.getByRole("alert").first();
      for (const [name, content, words] of [
        ["empty.csv", "", "empty"],
        ["one.csv", "a\n1\n2\n", "at least two columns"],
        ["book.xlsx", Buffer.from("PK\u0003\u0004......"), "zip archive is damaged"],
        ["broken.parquet", "PAR1 broken", "broken.parquet"],
        ["big.csv", "1".repeat(1_100_000), "larger than 1 MiB"],
      ]) {
        await upload(page, file(name, content));
        await alert.getByText(words).waitFor();
        assert.ok(!(await alert.textContent()).includes(tmpdir()));
      }
      await upload(page, file("text.csv", "id,a,b\nx,1,2\ny,2,1\nz,3,5\n"));
      await page.getByText("is left out").waitFor();
      assert.equal(await alert.textContent(), "");
    },
    { expected: ["400 (Bad Request)"] },
  );
});

test("finished runs survive a crash, and can be deleted", async () => {
  const before = await fetch(`${server.address}api/runs`).then((answer) => answer.json());
  assert.ok(before.finished.length >= 3);
  await crash(server);
  server = await serve();
  await on(async (page) => {
    const rows = page.locator("tbody tr");
    await rows.first().waitFor();
    assert.equal(await rows.count(), before.finished.length);
    await page.getByRole("link", { name: "npvar on chain.csv" }).first().click();
    await page.getByRole("heading", { name: "How the order was found" }).waitFor();
    await page.getByRole("button", { name: "← All runs" }).click();
    await rows.first().waitFor();
    const remove = rows.first().getByRole("button", { name: /^Delete/ });
    // The second press counts for three seconds, which may pass on a busy machine: the page's clock stands still.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 1000);
    await remove.click();
    await remove.click();
    await page.clock.resume();
    await page.waitForFunction((count) => document.querySelectorAll("tbody tr").length === count, before.finished.length - 1);
  });
});

test("another site's page cannot talk to the server, and an unknown run is said so", async () => {
  const refused = await fetch(`${server.address}api/runs`, { headers: { origin: "http://evil.example" } });
  assert.equal(refused.status, 403);
  const guessed = await fetch(new URL("/0123456789abcdef/api/runs", server.address));
  assert.equal(guessed.status, 404);
  const { page, close } = await open(browser, new URL("/0123456789abcdef/", server.address).href, { origin: new URL(server.address).origin });
  assert.match(await page.locator("main").textContent(), /earlier.*npvar serve.*address/);
  assert.deepEqual(await accessibility(page), []);
  await close();
  await on(async (page) => page.getByRole("alert").getByText("there is nothing here").waitFor(), { hash: "#run=nobody", expected: ["404 (Not Found)"] });
});

for (const [scheme, viewport] of [["light", { width: 1366, height: 768 }], ["dark", PHONE]]) {
  test(`the page is accessible and fits ${viewport.width} pixels in ${scheme} colours`, async () => {
    await on(
      async (page) => {
        await upload(page, file("chain.csv", table(100)));
        await advanced(page);
        await page.getByLabel("Learner").selectOption("pc");
        assert.deepEqual(await accessibility(page), []);
        const [inside, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(inside <= width, `${inside} > ${width}`);
      },
      { viewport, colorScheme: scheme },
    );
  });
}
