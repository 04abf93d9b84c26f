import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, describe, it } from "node:test";
import pg from "pg";
import type { FileEntry, StoredFiles } from "#src/tenants/public.ts";
import { PASS_FILES, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { untilBlocked } from "#test/support/until-blocked.ts";
import { compareContents } from "./publication.contents.ts";

function storedFrom(files: Readonly<Record<string, string>>): StoredFiles {
  const entries = Object.entries(files).map(([path, text]): [string, FileEntry] => {
    const hash = createHash("sha256").update(text).digest();
    return [path, { path, hash, size: Buffer.byteLength(text) }];
  });
  return { entries: new Map(entries), read: async (path) => Buffer.from(files[path] ?? "") };
}

/** What is noted of files, each of which says something else afterwards. */
async function entriesFor(files: Readonly<Record<string, (word: string) => string>>) {
  const [before, after] = ["old", "new"].map((word) =>
    storedFrom(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text(word)]))),
  );
  assert.ok(before !== undefined && after !== undefined);
  return Object.fromEntries(await compareContents(before, after));
}

const texts = (count: number, length: number) => (word: string) =>
  Array.from({ length: count }, (_, at) => `${`t${at}`.padEnd(length, "x")}: ${word}\n`).join("");

describe("the comparison of contents", () => {
  const DE = "locales/de.yml";

  it("names the texts of a locale that have another translation", async () => {
    const text = (word: string) => `Gold: ${word}\nSilver: same\ngroup: { room: ${word} }\n`;
    assert.deepEqual(await entriesFor({ [DE]: text }), {
      [DE]: ["locales/*#Gold", "locales/*#group.room"],
    });
  });

  it("names no more than a hundred texts of a file, and none of more than 200 characters", async () => {
    assert.equal((await entriesFor({ [DE]: texts(100, 200) }))[DE]?.length, 100);
    assert.deepEqual(await entriesFor({ [DE]: texts(101, 10) }), {});
    assert.deepEqual(await entriesFor({ [DE]: texts(1, 201) }), {});
  });

  it("reads no file of more than 32 KiB, and 256 KiB in all", async () => {
    const filled = (bytes: number) => (word: string) =>
      `Gold: ${word}\n#${"x".repeat(bytes - 12)}\n`;
    assert.equal(filled(1_024)("old").length, 1_024);
    assert.deepEqual(await entriesFor({ [DE]: filled(32 * 1_024 + 1) }), {});
    const names = Array.from(
      { length: 6 },
      (_, at) => `locales/d${String.fromCharCode(97 + at)}.yml`,
    );
    const found = await entriesFor(
      Object.fromEntries(names.map((path) => [path, filled(32 * 1_024)])),
    );
    assert.deepEqual(Object.keys(found), names.slice(0, 4));
  });
});

const api = await startApi({ after });

describe("a publication", () => {
  it("200: compares contents while nobody waits for the tenant", async () => {
    const tenantId = "in-time";
    const files = (word: string) => ({
      "tenant.yml": "name: Club Lune\n",
      ...PASS_FILES,
      "locales/de.yml": `Member: ${word}\n`,
    });
    await seedPassTenant(api, tenantId, files("Mitglied"));
    const client = new pg.Client(api.database.connection);
    await client.connect();
    try {
      await client.query("begin; set local app.tenant = '*'");
      await client.query("lock table file_content in access exclusive mode");
      const publication = api.put(`/api/tenants/${tenantId}`, {
        key: api.operatorKey,
        body: { files: files("Inhaber") },
      });
      await untilBlocked(api);
      await client.query("select from tenant where id = $1 for update nowait", [tenantId]);
      await client.query("commit");
      assert.equal((await publication).status, 200);
    } finally {
      await client.end();
    }
  });
});
