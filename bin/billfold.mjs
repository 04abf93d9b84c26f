#!/usr/bin/env -S node --max-semi-space-size=32
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

// The option above, which `npm start` gives too, limits the space for new objects. Otherwise Node lets
// it grow by 70 MB more under load, which makes nothing faster.

// Plain JavaScript: it must run under any Node to say which one is needed.
const REQUIRED = [24, 12];

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < REQUIRED[0] || (major === REQUIRED[0] && minor < REQUIRED[1])) {
  console.error(
    `Billfold needs Node ${REQUIRED.join(".")} or newer, this is ${process.versions.node}. ` +
      "Start it with `npm start`, which brings its own where there is one for this platform, or install Node 24.",
  );
  process.exit(1);
}

// A terminal that closed, a full disk, or `head` that has read enough is no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

const words = process.argv.slice(2);
// Before anything else is loaded: a person at the terminal waits for a sign of life.
if (words.length === 0 || (words.length === 1 && words[0] === "start")) {
  const description = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  process.stdout.write(`Billfold ${JSON.parse(description).version} is starting.\n`);
}

// Compiled code is kept for the next start, which then takes half as long. Beside the packages, not in
// the shared temporary folder: what lies there, anyone may have put there.
const { enableCompileCache, flushCompileCache } = await import("node:module");
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/billfold", import.meta.url)));
const { findProgram } = await import("../src/main/built-program.ts");
const { main } = await import(findProgram() ?? "../src/main/command-line.ts");
await main(words);
flushCompileCache();
