import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { pathToFileURL } from "node:url";

const RUN_FILES = pathToFileURL(join(import.meta.dirname, "../support/run-files.ts")).href;
const TIMEOUT_MS = 300_000;
const RERUN_MAX = 6;

type Contents = Readonly<Record<string, string>>;

type Options = { readonly abortAt?: string; readonly rerunMax?: number };

/** Runs files with these contents as `npm test` does; ends the run when it prints `abortAt`. */
async function run(
  t: TestContext,
  contents: Contents,
  { abortAt, rerunMax = RERUN_MAX }: Options = {},
) {
  const folder = await mkdtemp(join(tmpdir(), "billfold-rerun-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  const paths = Object.keys(contents).map((name) => join(folder, name));
  for (const [name, text] of Object.entries(contents)) {
    await writeFile(join(folder, name), `${HEAD}\n${text}`);
  }
  const program = `
    import { runFiles } from ${JSON.stringify(RUN_FILES)};
    const interruption = new AbortController();
    process.on("SIGTERM", () => interruption.abort());
    const settings = { processesAtOnce: 4, env: {}, signal: interruption.signal, rerunMax: ${rerunMax} };
    process.exit((await runFiles(${JSON.stringify(paths)}, settings)) ? 0 : 1);
  `;
  // Otherwise the runner takes itself for a part of the one that runs this test.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return await new Promise<{ code: unknown; output: string }>((resolve) => {
    const words = ["--input-type=module", "--eval", program];
    const options = { cwd: folder, env, timeout: TIMEOUT_MS };
    const child = execFile(process.execPath, words, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : (error.code ?? error.signal);
      resolve({ code, output: `${stdout}\n${stderr}` });
    });
    child.stderr?.on("data", (chunk) => {
      if (abortAt !== undefined && String(chunk).includes(abortAt)) child.kill("SIGTERM");
    });
  });
}

/** `isFirst()` is true only in the first run of a file. */
const HEAD = `
  import assert from "node:assert/strict";
  import { mkdirSync } from "node:fs";
  import { describe, it } from "node:test";
  const isFirst = () => {
    try {
      mkdirSync(new URL(import.meta.url + ".done"));
      return true;
    } catch {
      return false;
    }
  };
`;
const GREEN = `it("holds", () => undefined);`;
const BROKEN = `it("is broken", () => assert.equal("first reason", "always"));`;
const SHAKY = `it("is shaky", () => assert.ok(!isFirst(), "not yet"));`;
const ENDS = `it("ends its process", () => isFirst() && process.exit(3));`;
const STRAY = `
  it("leaves an error behind", async () => {
    if (isFirst()) setTimeout(() => { throw new Error("nobody caught this"); }, 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
  });`;
const FAILING_PROCESS = `process.on("exit", () => { process.exitCode = 4; });\n${GREEN}`;

/** The largest file is taken first. */
const FIRST = " ".repeat(2_000);

const count = (output: string, text: string): number => output.split(text).length - 1;

/** So many that two processes share them. */
const many = (name: string, text: string, length = 8): Contents =>
  Object.fromEntries(Array.from({ length }, (_none, at) => [`${name}-${at}.test.ts`, text]));

describe("a test file that fails", () => {
  it("is run once more, and the run is green if the file is green then", async (t) => {
    const { code, output } = await run(t, {
      "green.test.ts": GREEN,
      "shaky.test.ts": SHAKY,
      "shaky.alone.test.ts": `describe("measured", () => it("is late", () => assert.ok(!isFirst(), "late")));`,
      "ends.patient.test.ts": ENDS,
      "stray.alone.test.ts": STRAY,
      "hook.test.ts": `
        import { before } from "node:test";
        before(() => assert.ok(!isFirst(), "too early"));
        it("has a hook", () => undefined);`,
    });
    assert.equal(code, 0, output);
    const [, unsteady = ""] = output.split("== Unsteady");
    const reasons = ["not yet", "late", "not run to its end", "nobody caught this", "too early"];
    for (const reason of reasons) assert.ok(unsteady.includes(reason), `${reason}: ${output}`);
    const titles = ["is shaky", "is late", "ends its process", "leaves an error behind"];
    for (const title of [...titles, "has a hook"]) {
      assert.match(unsteady, new RegExp(`✔ ${title}`), output);
    }
    assert.equal(count(output, "✔ holds"), 1, output);
    assert.ok(!output.includes("== What failed"), output);
  });

  it("ends a process that others share, and those run all the same", async (t) => {
    const { code, output } = await run(t, { "ends.test.ts": ENDS, ...many("green", GREEN) });
    assert.equal(code, 0, output);
    assert.match(output, /== Unsteady.*ends\.test\.ts.*not run to its end/s);
  });

  it("fails the run if it fails again, and both outputs are printed at the end", async (t) => {
    const { code, output } = await run(t, { "green.test.ts": GREEN, "broken.test.ts": BROKEN });
    assert.equal(code, 1, output);
    const [, failed = ""] = output.split("== What failed");
    const [first = "", second = ""] = failed.split("its second run");
    assert.match(first, /broken\.test\.ts\n.*first reason/s);
    assert.match(second, /first reason/);
    assert.ok(!output.includes("== Unsteady"), output);
  });

  it("fails the run if it registers fewer tests than before, or none", async (t) => {
    const { code, output } = await run(t, {
      "none.alone.test.ts": `if (isFirst()) { ${BROKEN} }`,
      "fewer.alone.test.ts": `${GREEN}\nif (isFirst()) { ${BROKEN} }`,
    });
    assert.equal(code, 1, output);
    assert.match(output, /none\.alone.*It ran 0 tests, and 1 before/s);
    assert.match(output, /fewer\.alone.*It ran 1 tests, and 2 before/s);
    assert.ok(!output.includes("== Unsteady"), output);
  });

  it("gets the random data that it failed on", async (t) => {
    const fastCheck = JSON.stringify(import.meta.resolve("fast-check"));
    const { code, output } = await run(t, {
      "rare.test.ts": `
        import fc from ${fastCheck};
        import { appendFileSync, readFileSync } from "node:fs";
        const path = new URL(import.meta.url + ".data");
        it("fails on some data", () => {
          let data = "";
          fc.assert(fc.property(fc.integer(), (number) => { data += number + ","; }));
          appendFileSync(path, data + "\\n");
          const [first, second] = readFileSync(path, "utf8").split("\\n");
          assert.equal(second, first, second === "" ? "the first run" : "other data");
        });`,
    });
    assert.equal(code, 0, output);
    assert.match(output, /== Unsteady.*the first run/s);
  });

  it("fails the run if it cannot be loaded", async (t) => {
    const { code, output } = await run(t, { "none.test.ts": `import "./missing.js";` });
    assert.equal(code, 1, output);
    assert.match(output, /== What failed.*missing\.js/s);
  });

  it("is not run again where more fail than by accident", async (t) => {
    const { code, output } = await run(t, many("broken", BROKEN, RERUN_MAX + 1));
    assert.equal(code, 1);
    assert.match(output, /7 files failed: too many for an accident/);
    assert.ok(!output.includes("once more"), output);
  });

  it("is run alone where few fail, each in a process that has no other file", async (t) => {
    const shaky = `it("is shaky", () => {
      globalThis.files = [...(globalThis.files ?? []), import.meta.url];
      assert.ok(!isFirst(), "not yet");
      assert.equal(globalThis.files.length, 1);
    });`;
    const { code, output } = await run(t, many("shaky", shaky, RERUN_MAX));
    assert.equal(code, 0, output);
    assert.equal(count(output, "is run once more, alone"), RERUN_MAX, output);
  });

  it("is not run again once the run is interrupted", async (t) => {
    const slow = `it("waits", async () => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      assert.fail("always");
    });`;
    const { code, output } = await run(t, many("slow", slow, 3), { abortAt: "once more" });
    assert.equal(code, 1, output);
    assert.equal(count(output, "once more"), 1, output);
  });
});

describe("a failure that is not of a test", () => {
  it("fails the run where a process fails although all its files are green", async (t) => {
    const { code, output } = await run(t, { "green.test.ts": FAILING_PROCESS });
    assert.equal(code, 1, output);
    assert.match(output, /== What failed\n\nA process failed:/);
  });

  it("is not excused by an unsteady file of another process", async (t) => {
    const { code, output } = await run(t, {
      "green.test.ts": FAILING_PROCESS,
      "shaky.alone.test.ts": SHAKY,
      "ends.alone.test.ts": ENDS,
      "stray.alone.test.ts": STRAY,
    });
    assert.equal(code, 1, output);
    assert.match(output, /== Unsteady.*== What failed\n\nA process failed:/s);
  });

  it("is put down to the file that it came from, however long ago that ran", async (t) => {
    const leaving = `it("leaves a timer", () => { setTimeout(() => { throw new Error("late"); }, 500); });`;
    const waiting = `it("waits", () => new Promise((resolve) => setTimeout(resolve, 200)));`;
    const { code, output } = await run(t, {
      "leaving.test.ts": `${leaving}//${FIRST}`,
      ...many("waiting", waiting, 4),
    });
    assert.equal(code, 1, output);
    assert.match(output, /== What failed\n\n\S*leaving\.test\.ts/);
    assert.ok(!output.includes("== Unsteady"), output);
  });

  it("is put down to all files of its process where its origin is unknown, and fails the run where too many ran", async (t) => {
    // The connections of a server belong to no file.
    const leaving = `
      import { connect, createServer } from "node:net";
      it("leaves a server", async () => {
        assert.ok(isFirst(), "again");
        const server = createServer((socket) => {
          socket.on("error", () => undefined).on("data", () => { throw new Error("late"); });
        });
        await new Promise((resolve) => server.listen(0, resolve));
        server.unref();
        const socket = connect(server.address().port);
        socket.on("error", () => undefined);
        const timer = setInterval(() => {
          if ((globalThis.begun ?? 0) < FOLLOWERS) return;
          clearInterval(timer);
          socket.end("x");
        }, 10);
      });`;
    // So long that the error comes while it waits, however busy the machine is.
    const waiting = `it("waits", async () => {
      globalThis.begun = (globalThis.begun ?? 0) + 1;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    });`;
    const next = await run(t, {
      "leaving.test.ts": `${leaving.replace("FOLLOWERS", "1")}//${FIRST}`,
      "waiting.test.ts": waiting,
    });
    assert.equal(next.code, 1, next.output);
    assert.match(next.output, /== What failed\n\n\S*leaving\.test\.ts/);
    assert.match(next.output, /== Unsteady[^\n]*\n\n\S*waiting-?\d*\.test\.ts/);
    const followers = {
      "leaving.test.ts": `${leaving.replace("FOLLOWERS", "2")}//${FIRST}`,
      ...many("waiting", waiting, 4),
    };
    const later = await run(t, followers);
    assert.equal(later.code, 1, later.output);
    assert.match(later.output, /== What failed\n\n\S*leaving\.test\.ts\n-- its first run:\nAfter/);
    assert.equal(count(later.output, "is run once more, alone"), 3, later.output);
    const tooMany = await run(t, followers, { rerunMax: 2 });
    assert.equal(tooMany.code, 1, tooMany.output);
    assert.match(tooMany.output, /may have come from any of 3 files/);
  });

  it("is not excused by a test that failed in the same process", async (t) => {
    for (const end of ["process.exitCode = 4", 'process.kill(process.pid, "SIGKILL")']) {
      const { code, output } = await run(t, {
        "green.test.ts": `process.on("exit", () => { ${end}; });\n${GREEN}//${FIRST}`,
        "shaky.test.ts": SHAKY,
      });
      assert.equal(code, 1, output);
      assert.match(output, /== Unsteady.*shaky.*== What failed\n\nA process failed:/s, end);
    }
  });

  it("fails the run where a file never ran, although every process ended well", async (t) => {
    const { code, output } = await run(t, {
      "ends.test.ts": `it("ends", () => process.exit(0));//${FIRST}`,
      "broken.test.ts": BROKEN,
    });
    assert.equal(code, 1, output);
    for (const name of ["ends", "broken"]) assert.match(output, new RegExp(`${name}\\.test\\.ts`));
  });
});
