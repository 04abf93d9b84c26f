import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openLogOutput } from "./log-output.ts";

/** A pipe whose reader starts on command, and its writing end. */
function openPipe(t: TestContext) {
  const child = spawn("sh", ["-c", "read line <&3; cat"], {
    stdio: ["pipe", "pipe", "ignore", "pipe"],
  });
  t.after(() => child.kill("SIGKILL"));
  let text = "";
  child.stdout?.on("data", (chunk) => {
    text += chunk;
  });
  const { fd } = (child.stdin as unknown as { _handle: { fd: number } })._handle;
  return {
    fd,
    async readSome(lengthMin: number): Promise<void> {
      (child.stdio[3] as Writable).end("now\n");
      while (text.length < lengthMin) await sleep(20);
    },
    async finish(): Promise<string> {
      child.stdin?.end();
      await once(child, "close");
      return text;
    },
  };
}

describe("the output of the log", () => {
  it("writes lines in their order, a little later or when it must", async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "billfold-log-"));
    const path = join(folder, "log");
    const fd = openSync(path, "w");
    t.after(async () => {
      closeSync(fd);
      await rm(folder, { recursive: true });
    });
    const output = openLogOutput(fd);
    output.write("first é\n");
    assert.equal(readFileSync(path, "utf8"), "");
    output.write("second\n");
    await sleep(300);
    assert.equal(readFileSync(path, "utf8"), "first é\nsecond\n");
    output.write("third\n");
    output.flushSync();
    assert.equal(readFileSync(path, "utf8"), "first é\nsecond\nthird\n");
  });

  it("goes on where nothing can be written any more: a full disk, a closed terminal", (t) => {
    if (!existsSync("/dev/full"))
      return t.diagnostic("this system has no disk that is always full");
    const fd = openSync("/dev/full", "w");
    t.after(() => closeSync(fd));
    const output = openLogOutput(fd);
    for (let count = 0; count < 2_000; count += 1) output.write(`${"x".repeat(50)}\n`);
    output.flushSync();
    output.write("later\n");
    output.flushSync();
  });

  it("keeps what a slow reader has not read, up to a limit, and counts the rest", async (t) => {
    const pipe = openPipe(t);
    const output = openLogOutput(pipe.fd);
    const line = `${"x".repeat(1_023)}\n`;
    for (let count = 0; count < 4_000; count += 1) output.write(line);
    await pipe.readSome(1024 * 1024);
    output.write("the end\n");
    output.flushSync();
    const lines = (await pipe.finish()).trimEnd().split("\n");
    const whole = lines.filter((text) => text.length === 1_023).length;
    const note = lines.find((text) => text.includes("dropped"));
    assert.ok(whole > 1_000 && whole < 4_000, `${whole} lines`);
    assert.equal(whole + JSON.parse(note ?? "{}").dropped, 4_000);
    assert.equal(lines.at(-1), "the end");
  });
});
