import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { after, describe, it } from "node:test";
import { ProblemError } from "#kernel/errors.ts";
import { importStage, processNext } from "#test/support/import-stage.ts";
import { startApi } from "#test/support/start-api.ts";
import {
  beginFile,
  findFile,
  listFolder,
  readFileChunks,
  removeFile,
  renameFile,
  resumeFile,
} from "./file.service.ts";
import { appendToFile, FileWriter } from "./file-writer.service.ts";

/** The inbox of the file drop, as its door uses it. */

let now = new Date("2026-03-01T12:00:00.000Z");
const api = await startApi({ after }, { env: { ROLES: "api" }, clock: { now: () => now } });
await api.seed.tenant("acme");
const stage = importStage(api, "acme");
const { context } = stage;

const begin = (name: string) => beginFile(context, { name, source: "sftp", createdBy: "acme" });
const settle = () => {
  now = new Date(now.getTime() + 2_000);
};

async function drop(name: string, content: string | Buffer) {
  const writer = new FileWriter(context, await begin(name));
  await writer.write(Buffer.from(content));
  return await writer.finish();
}

async function contentOf(file: { id: string; name: string; size: number }, from = 0) {
  const parts: Buffer[] = [];
  for await (const bytes of readFileChunks(context, file, from)) parts.push(bytes);
  return Buffer.concat(parts);
}

const refusal = (words: string) => (error: unknown) =>
  error instanceof ProblemError && error.status < 500 && error.message.includes(words);
const names = async (folder: Parameters<typeof listFolder>[1]) =>
  (await listFolder(context, folder)).map(({ name }) => name);

describe("a file of the inbox", () => {
  it("waits two seconds after it was closed, and is then imported", async () => {
    const file = await drop("members.csv", "a\n1\n");
    assert.deepEqual(await names("inbox"), ["members.csv"]);
    assert.equal(await stage.claim(), undefined);
    settle();
    assert.equal(await processNext(stage), file.id);
    assert.deepEqual([await names("inbox"), await names("processed")], [[], ["members.csv"]]);
  });

  it("is written in pieces of any size, read from anywhere, and hashed as a whole", async () => {
    const content = randomBytes(900_000);
    const writer = new FileWriter(context, await begin("pieces.csv"));
    for (let at = 0; at < content.length; ) {
      const size = 1 + ((at * 7919) % 40_000);
      await writer.write(content.subarray(at, at + size));
      at += size;
    }
    const file = await writer.finish();
    assert.ok((await contentOf(file)).equals(content));
    for (const from of [1, 262_143, 262_144, 262_145, 899_999, 900_000]) {
      assert.ok((await contentOf(file, from)).equals(content.subarray(from)), String(from));
    }
    assert.deepEqual(file.contentHash, createHash("sha256").update(content).digest());
    assert.equal(await removeFile(context, "pieces.csv"), true);
    assert.equal(await removeFile(context, "pieces.csv"), false);
  });

  it("goes on where it ended, by one writer: what the former one sends is refused", async () => {
    const first = await begin("resumed.csv");
    await appendToFile(context, first, 0, Buffer.from("one"));
    const second = await resumeFile(context, "resumed.csv");
    assert.ok(second !== undefined);
    await assert.rejects(
      appendToFile(context, first, 3, Buffer.from("x")),
      refusal("replaced, removed or finished"),
    );
    for (const position of [0, 2, 4]) {
      await assert.rejects(
        appendToFile(context, second, position, Buffer.from("x")),
        refusal("must follow there"),
      );
    }
    const writer = new FileWriter(context, second);
    assert.equal(writer.size, 3);
    await writer.write(Buffer.from("two"));
    const file = await writer.finish();
    assert.equal((await contentOf(file)).toString(), "onetwo");
    assert.deepEqual(file.contentHash, createHash("sha256").update("onetwo").digest());
    const again = await resumeFile(context, "resumed.csv");
    assert.ok(again !== undefined);
    settle();
    assert.equal(await stage.claim(), undefined);
    await new FileWriter(context, again).finish();
    settle();
    assert.equal(await processNext(stage), file.id);
    assert.equal(await resumeFile(context, "resumed.csv"), undefined);
  });

  it("that was stored in tiny pieces takes few rows, and is read in few steps", async () => {
    const open = await begin("tiny.csv");
    const writer = new FileWriter(context, open);
    const content = randomBytes(200_000);
    for (let at = 0; at < content.length; at += 500) {
      await writer.write(content.subarray(at, at + 500));
      await writer.flush();
    }
    const file = await writer.finish();
    assert.ok((await contentOf(file)).equals(content));
    const [{ count } = { count: 0 }] = await api.sql(
      "select count(*)::integer as count from import_chunk where file_id = $1",
      [file.id],
    );
    assert.equal(count, 4);
    const again = await resumeFile(context, "tiny.csv");
    assert.ok(again !== undefined);
    assert.deepEqual((await new FileWriter(context, again).finish()).contentHash, file.contentHash);
    await removeFile(context, "tiny.csv");
  });

  it("is replaced by another of its name, unless it is being imported", async () => {
    await drop("twice.csv", "first");
    const open = await begin("twice.csv");
    const third = await drop("twice.csv", "third");
    await assert.rejects(
      appendToFile(context, open, 0, Buffer.from("late")),
      refusal("replaced, removed or finished"),
    );
    settle();
    const claimed = await stage.claim();
    assert.equal(claimed?.file.id, third.id);
    assert.ok(claimed !== undefined);
    const refused = [
      () => begin("twice.csv"),
      () => resumeFile(context, "twice.csv"),
      () => removeFile(context, "twice.csv"),
      () => renameFile(context, "twice.csv", "x.csv"),
    ];
    for (const attempt of refused) await assert.rejects(attempt, refusal("is being imported"));
    await drop("other.csv", "other");
    await assert.rejects(
      renameFile(context, "other.csv", "twice.csv", { replaces: true }),
      refusal("is being imported"),
    );
    await stage.fail(claimed, "x");
    await begin("twice.csv");
    assert.equal((await findFile(context, "error", "twice.csv"))?.id, third.id);
    await removeFile(context, "twice.csv");
    await removeFile(context, "other.csv");
  });

  it("with a temporary name waits until it is renamed; one that was cut off is not imported", async () => {
    const file = await drop("part.csv.part", "whole");
    const cut = await begin("cut.csv.part");
    await appendToFile(context, cut, 0, Buffer.from("half"));
    settle();
    assert.equal(await stage.claim(), undefined);
    await drop("taken.csv", "taken");
    await assert.rejects(
      renameFile(context, "part.csv.part", "taken.csv"),
      refusal("has another file"),
    );
    await assert.rejects(
      renameFile(context, "part.csv.part", "../x"),
      refusal("must not contain slashes"),
    );
    assert.equal(await renameFile(context, "nobody.csv", "x.csv"), false);
    assert.equal(await renameFile(context, "cut.csv.part", "cut.csv"), true);
    assert.equal(await renameFile(context, "part.csv.part", "taken.csv", { replaces: true }), true);
    assert.equal(await stage.claim(), undefined);
    settle();
    assert.equal(await processNext(stage), file.id);
    assert.equal(await stage.claim(), undefined);
    assert.deepEqual(await names("inbox"), ["cut.csv"]);
    assert.equal((await findFile(context, "processed", "taken.csv"))?.id, file.id);
    await removeFile(context, "cut.csv");
  });
});
