import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type ApiClient, createClient } from "#test/support/client.ts";
import {
  findPostmaster,
  freePort,
  makeDataDir,
  PRODUCT_OPERATOR_KEY,
  type Product,
  removeDataDir,
  runProduct,
  signalQuietly,
  startProduct,
} from "#test/support/product.ts";
import { createDatabase } from "#test/support/server.ts";
import { ROOT } from "#test/support/sources.ts";

const READY_MS_MAX = 180_000;
/** Each connection that is refused takes some of the processor, which the start needs. */
const WARM_POLL_MS = 50;

/** Polls until the answer is 200. Refused connections are ignored. */
async function waitUntilWarm(client: ApiClient): Promise<void> {
  const deadline = Date.now() + READY_MS_MAX;
  for (;;) {
    const answer = await client.get("/api/warmup").catch(() => undefined);
    if (answer?.status === 200) return;
    assert.ok(Date.now() < deadline, "it is never ready");
    await sleep(WARM_POLL_MS);
  }
}

describe("npm start", () => {
  let dataDir: string;

  before(async () => {
    dataDir = await makeDataDir();
  });
  after(() => removeDataDir(dataDir));

  it("200 on /api/warmup: the demo tenant is there; kill of npm stops everything in good order", async (t) => {
    const port = await freePort();
    const npm = spawn("npm", ["start"], {
      cwd: ROOT,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        PATH: process.env.PATH ?? "",
        HOME: process.env.HOME ?? "",
        DATA_DIR: dataDir,
        PORT: String(port),
        OPERATOR_KEY: PRODUCT_OPERATOR_KEY,
      },
    });
    // Kills the whole process group, in case the test fails while it runs.
    t.after(() => signalQuietly(-(npm.pid ?? 0), "SIGKILL"));
    let said = "";
    npm.stdout.on("data", (chunk) => {
      said += chunk;
    });
    const exit = once(npm, "close");
    const client = createClient(`http://127.0.0.1:${port}`);
    await waitUntilWarm(client);

    const key = PRODUCT_OPERATOR_KEY;
    const passes = await client.get("/api/demo/passes?pageSize=500", { key });
    assert.equal(passes.body.length, 30, passes.text);
    while (!said.includes("is running")) await sleep(10);

    npm.kill("SIGTERM");
    assert.deepEqual(await exit, [0, null], said);
    assert.equal(findPostmaster(dataDir), undefined);
    await assert.rejects(client.get("/api/warmup"));
    assert.match(said, /^Billfold \S+ is starting\.\n.*^Billfold is stopping\.$/ms);
  });

  it("a second start has everything and says little", async () => {
    const product = await startProduct({ env: { DATA_DIR: dataDir, DEMO: "1" } });
    const key = PRODUCT_OPERATOR_KEY;
    assert.equal((await product.get("/api/demo/passes", { key })).status, 200);
    const lines = product.output().trim().split("\n");
    assert.match(lines[0] ?? "", /is starting\.$/);
    assert.match(lines[1] ?? "", /is running on http:\/\/localhost:\d+\.$/);
    assert.doesNotMatch(product.output(), /Try it|bf_/);

    // A terminal that is closed sends this signal.
    assert.deepEqual(await product.kill("SIGHUP"), { code: 0, signal: null }, product.output());
    assert.equal(findPostmaster(dataDir), undefined);
  });
});

describe("a product whose output nobody can read", () => {
  it("serves and stops as ever: nothing waits for a full disk or a closed terminal", async (t) => {
    if (!existsSync("/dev/full"))
      return t.diagnostic("this system has no disk that is always full");
    const [port, dataDir, database] = [
      await freePort(),
      await makeDataDir(),
      await createDatabase(),
    ];
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, ["bin/billfold.mjs", "start"], {
      cwd: ROOT,
      stdio: ["ignore", full, full],
      env: {
        DATA_DIR: dataDir,
        DATABASE_URL: database.url,
        PORT: String(port),
        DEMO: "0",
        LOG_LEVEL: "info",
      },
    });
    const exit = once(child, "close");
    t.after(async () => {
      child.kill("SIGKILL");
      closeSync(full);
      await database.drop();
      await removeDataDir(dataDir);
    });
    const client = createClient(`http://127.0.0.1:${port}`);
    await waitUntilWarm(client);
    for (let count = 0; count < 200; count += 1) await client.get("/api/warmup");
    child.kill("SIGTERM");
    assert.deepEqual(await exit, [0, null]);
  });
});

describe("the command line", () => {
  it("--help names the commands and every setting, --version the version; neither starts anything", async () => {
    const help = await runProduct({ env: {}, words: ["start", "--help"] });
    assert.deepEqual([help.code, help.stderr], [0, ""]);
    for (const word of ["npm start", "npm run migrate", "PORT", "DATABASE_URL", "METRICS_PORT"]) {
      assert.ok(help.stdout.includes(word), word);
    }
    const version = await runProduct({ env: {}, words: ["--version"] });
    assert.deepEqual([version.code, version.stderr], [0, ""]);
    assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/);
  });

  it("exit code 2: what it does not know is named, with the way to the settings", async () => {
    for (const [words, said] of [
      [["start", "--port", "9000"], /^Unknown option '--port'\. Settings are environment/],
      [["serve"], /^Unknown command 'serve'\. Commands: start, migrate\./],
      [["start", "9000"], /^One word too many: '9000'\./],
    ] as const) {
      const { code, stdout, stderr } = await runProduct({ env: {}, words });
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, said);
      assert.equal(stderr.trim().split("\n").length, 1);
    }
  });
});

describe("a start on a database that several processes share", () => {
  it("two at once: both run, each with a key that works, on one demo tenant", async (t) => {
    const database = await createDatabase();
    const folders = [await makeDataDir(), await makeDataDir()];
    const running: Product[] = [];
    t.after(async () => {
      for (const product of running) await product.kill("SIGTERM");
      await database.drop();
      for (const folder of folders) await removeDataDir(folder);
    });
    const env = { DATABASE_URL: database.url, DEMO: "1" };
    const MASTER_KEY = Buffer.from("0123456789abcdefghijklmnopqrstuv").toString("base64");
    running.push(
      ...(await Promise.all(
        folders.map((folder) => startProduct({ env: { ...env, MASTER_KEY, DATA_DIR: folder } })),
      )),
    );

    for (const product of running) {
      const key = /Demo key +(\S+)/.exec(product.output())?.[1];
      const passes = await product.get("/api/demo/passes?pageSize=500", { key });
      assert.deepEqual([passes.status, passes.body.length], [200, 30], product.output());
    }
  });
});

describe("a start with PORT=0", () => {
  it("tells the port it took, and all addresses lead there", async (t) => {
    const dataDir = await makeDataDir();
    const database = await createDatabase();
    const child = spawn(process.execPath, ["bin/billfold.mjs", "start"], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        DATA_DIR: dataDir,
        DATABASE_URL: database.url,
        PORT: "0",
        DEMO: "0",
        LOG_LEVEL: "info",
      },
    });
    const exit = once(child, "close");
    t.after(async () => {
      child.kill("SIGKILL");
      await exit;
      await database.drop();
      await removeDataDir(dataDir);
    });
    let said = "";
    for await (const chunk of child.stdout) {
      said += chunk;
      if (said.includes("operator.key")) break;
    }
    // The loop has closed the pipe, like `npm start | head`. The server must go on nevertheless.
    const url = /is running on (http:\S+)\.$/m.exec(said)?.[1] ?? "";
    const key = /Operator key +(\S+)/.exec(said)?.[1];
    const client = createClient(url);
    for (let count = 0; count < 3; count += 1) {
      assert.equal((await client.get("/api/warmup")).status, 200, said);
      await sleep(150);
    }
    assert.match(said, new RegExp(`^ +First sign-in +${url}/sign-in/`, "m"));
    const document = await client.get("/openapi.json", { key });
    assert.deepEqual(document.body.servers, [{ url }]);
    // The built program says the same of itself as the sources do, in the same order.
    const committed = JSON.parse(await readFile(join(ROOT, "openapi.json"), "utf8"));
    for (const part of ["tags", "paths", "webhooks", "x-problems"]) {
      assert.equal(JSON.stringify(document.body[part]), JSON.stringify(committed[part]), part);
    }

    child.kill("SIGTERM");
    assert.deepEqual(await exit, [0, null]);
    assert.equal(existsSync(join(dataDir, "postgres")), false);
  });
});
