// Bundles the page into `dist/`, which is committed: the Rust crate includes these files and never runs Node.
// `node build.mjs --check` fails when they are not what the sources give.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["chrome110", "firefox115", "safari16"],
    charset: "utf8",
    legalComments: "none",
    logLevel: "error",
  });
  return result.outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** One file with everything inside; the data go between `{{` and `}}`. Only this script and this style may run. */
function reportPage(script, style) {
  if (/<\/script/i.test(script) || /<\/style/i.test(style)) throw new Error("the bundle would end its own element");
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src blob: data:; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="npvar">
<meta name="color-scheme" content="light dark">
<title>npvar report</title>
<style>${style}</style>
</head>
<body>
<noscript>This report is drawn by the script inside this file; allow it to run.</noscript>
<script type="application/json" id="npvar-data">{{npvar-data}}</script>
<script>${script}</script>
</body>
</html>
`;
}

const files = new Map();
files.set("report.html", reportPage(await bundle("main.ts"), await bundle("page.css")));
if (existsSync(join(here, "src", "app.ts"))) {
  files.set("app.js", `${await bundle("app.ts")}\n`);
  files.set("app.css", `${await bundle("app.css")}\n`);
  for (const name of ["app.html", "left-behind.html"]) files.set(name, readFileSync(join(here, "src", name), "utf8"));
}

if (process.argv.includes("--check")) {
  const stale = [...files].filter(([name, content]) => {
    const path = join(dist, name);
    return !existsSync(path) || readFileSync(path, "utf8") !== content;
  });
  const strays = readdirSync(dist).filter((name) => !files.has(name));
  if (stale.length + strays.length > 0) {
    console.error(`dist is not what the sources give (${[...stale.map(([name]) => name), ...strays].join(", ")}); run \`npm run build\` in crates/npvar-web/page`);
    process.exit(1);
  }
  console.log(`dist is what the sources give: ${[...files.keys()].join(", ")}`);
} else {
  mkdirSync(dist, { recursive: true });
  for (const [name, content] of files) {
    writeFileSync(join(dist, name), content);
    console.log(`${name}: ${(content.length / 1024).toFixed(0)} KiB`);
  }
}
