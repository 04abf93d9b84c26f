import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { loadConfig } from "#main/config.ts";
import { createClient } from "#test/support/client.ts";
import { type Block, blocksOf, readDocuments } from "#test/support/documents.ts";
import { freePort, removeDataDir, signalQuietly } from "#test/support/product.ts";
import { ROOT } from "#test/support/sources.ts";

/*
 * Runs every command of the documents with bash, in order and as written, on a product started by
 * `npm start`. Only the port and the placeholders for values of the reader are replaced.
 */

const run = promisify(execFile);
const READY_MS_MAX = 180_000;
const BLOCK_MS_MAX = 180_000;

const documents = readDocuments();
const commands = documents.flatMap(blocksOf).filter(({ language }) => language === "sh");

/** A block with settings only is not run; its settings are checked. */
const isSettings = ({ text }: Block): boolean =>
  text.split("\n").every((line) => /^([A-Z_]+=|#|$)/.test(line));

/** Commands that install and start the product are not run, because the suite has done both. */
const isInstallation = ({ text }: Block): boolean => /^npm ci /m.test(text);

const PRELUDE = `
set -euo pipefail
if [ -e .state ]; then source ./.state; fi
# An answer that is an error ends the block. A stream is listened to for a moment.
curl() {
  local more=() status=0 word
  for word in "$@"; do if [ "$word" = -N ]; then more=(--max-time 2); fi; done
  command curl --fail-with-body --silent --show-error \\
    --connect-to "localhost:8080:127.0.0.1:$BILLFOLD_PORT" \${more[@]+"\${more[@]}"} "$@" || status=$?
  if [ "$status" = 28 ] && [ "\${#more[@]}" -gt 0 ]; then status=0; fi
  return "$status"
}
`;

describe("the examples of the documents", () => {
  let folder: string;
  let port: number;
  let said = "";
  let stop: () => Promise<void>;
  const answers: string[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "billfold-examples-"));
    port = await freePort();
    const npm = spawn("npm", ["start"], {
      cwd: ROOT,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        PATH: process.env.PATH ?? "",
        HOME: process.env.HOME ?? "",
        PORT: String(port),
        SFTP_PORT: "0",
        DATA_DIR: join(folder, "data"),
      },
    });
    const exit = once(npm, "close");
    npm.stdout.on("data", (chunk) => {
      said += chunk;
    });
    stop = async () => {
      npm.kill("SIGTERM");
      const killer = setTimeout(() => signalQuietly(-(npm.pid ?? 0), "SIGKILL"), READY_MS_MAX);
      await exit;
      clearTimeout(killer);
      await removeDataDir(join(folder, "data"));
      await rm(folder, { recursive: true, force: true });
    };
    const deadline = Date.now() + READY_MS_MAX;
    while (!/onConflict=return'\n/.test(said)) {
      assert.ok(Date.now() < deadline && npm.exitCode === null, `it does not start:\n${said}`);
      await sleep(20);
    }
  });
  after(() => stop());

  const operatorKey = () => readFileSync(join(folder, "data/operator.key"), "utf8").trim();

  /** Replaces placeholders of the documents, for which readers use their own values. */
  function standIns(): [string, string][] {
    const webhookId = /"id":"(\w{5})"/.exec(answers.join("\n"))?.[1] ?? "k7Qz2";
    return [
      ["https://wallet.example", "http://localhost:8080"],
      ["/webhooks/k7Qz2", `/webhooks/${webhookId}`],
    ];
  }

  async function bash(text: string): Promise<string> {
    const script = `${PRELUDE}\n${text}\ndeclare -px > .state\n`;
    await writeFile(join(folder, "block.sh"), script);
    const { stdout } = await run("bash", ["block.sh"], {
      cwd: folder,
      timeout: BLOCK_MS_MAX,
      maxBuffer: 64 * 1024 * 1024,
      env: {
        PATH: process.env.PATH ?? "",
        LC_ALL: "C.UTF-8",
        BILLFOLD_PORT: String(port),
        // The documents use a key of the tenant; here the operator key replaces it.
        KEY: operatorKey(),
      },
    }).catch((error: { stdout?: string; stderr?: string }) => {
      assert.fail(`${error.stderr}${error.stdout}\n${text}`);
    });
    return stdout;
  }

  it("the README shows what a first start prints", () => {
    const shown = documents
      .flatMap(blocksOf)
      .find(({ document, text }) => document === "README.md" && text.includes("is starting"));
    const plain = (text: string) =>
      text
        .replaceAll(`localhost:${port}`, "localhost:8080")
        .replaceAll(join(folder, "data"), "./data")
        .replaceAll(/(bf_operator_|bf_test_|\/sign-in\/|simulator#add=)[\w%.-]+/g, "$1…")
        .replaceAll(/[ \t]+/g, " ")
        .trim();
    const printed = said.slice(said.indexOf("Billfold "));
    assert.equal(plain(printed), plain(shown?.text ?? ""));
  });

  it("the lines of the banner run as they stand", async () => {
    const lines = said.split("Try it:\n")[1]?.trim().split("\n") ?? [];
    assert.equal(lines.length, 2);
    for (const line of lines) {
      await bash(line.replaceAll(`localhost:${port}`, "localhost:8080"));
    }
  });

  for (const block of commands) {
    const title = `${block.document}:${block.line}`;
    if (isSettings(block)) {
      it(`${title}: the settings are taken`, async () => {
        const { stdout } = await run("bash", ["-c", `set -a\n${block.text}\nenv -0`], {
          env: { PATH: process.env.PATH ?? "", LC_ALL: "C.UTF-8" },
        });
        const pairs = stdout.split("\0").map((pair) => pair.split(/=(.*)/s, 2));
        const { environment } = loadConfig(Object.fromEntries(pairs));
        assert.equal(environment, "production");
      });
    } else if (isInstallation(block)) {
      it(`${title}: the scripts exist, and the lock from which npm installs`, () => {
        const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
        for (const [, name = ""] of block.text.matchAll(/&& npm (\w+)/g)) {
          assert.ok(name in scripts, name);
        }
        assert.ok(existsSync(join(ROOT, "package-lock.json")));
      });
    } else {
      it(`${title}: runs as written`, async () => {
        const text = standIns().reduce(
          (rest, [name, own]) => rest.replaceAll(name, own),
          block.text,
        );
        answers.push(await bash(text));
      });
    }
  }

  it("leave the demo tenant whole: its French is not replaced by an example", async () => {
    const client = createClient(`http://127.0.0.1:${port}`);
    const key = operatorKey();
    const findings = await client.get("/api/tenants/demo/test", { key });
    assert.equal(findings.body.valid, true, findings.text);
    assert.deepEqual(
      findings.body.findings.filter(({ severity }: { severity: string }) => severity !== "info"),
      [],
    );
    const set = await client.get("/api/tenants/demo", {
      key,
      headers: { accept: "application/json" },
    });
    assert.equal(
      set.body.files["locales/fr.yml"],
      readFileSync(join(ROOT, "demo/locales/fr.yml"), "utf8"),
    );
    assert.match(set.body.files["tenant.yml"], /Café Lune Paris/, "and the example did something");
  });

  it("the example of a filter finds passes of the demo tenant", () => {
    const found = answers.some((answer) => answer.includes('"tier":"Full Moon"'));
    assert.ok(found, "three guests are Full Moon");
  });
});

describe("the documents", () => {
  it("name no npm script that does not exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const named = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/`npm\s+run\s+([\w:-]+)/g)].map(([, name = ""]) => `${path} ${name}`),
    );
    assert.ok(named.length > 5);
    assert.deepEqual(
      named.filter((entry) => !((entry.split(" ")[1] ?? "") in scripts)),
      [],
    );
  });
});
