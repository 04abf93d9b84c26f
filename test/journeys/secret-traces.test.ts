import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import {
  makeDataDir,
  PRODUCT_OPERATOR_KEY,
  removeDataDir,
  startProduct,
  withProductDatabase,
} from "#test/support/product.ts";

const key = PRODUCT_OPERATOR_KEY;

/** The forms in which a value could be stored: as text, encoded as in dumps, and in UTF-16. */
function shapesOf(value: string): Buffer[] {
  const bytes = Buffer.from(value);
  const texts = [
    value,
    bytes.toString("hex"),
    bytes.toString("base64"),
    bytes.toString("base64url"),
  ];
  return [...texts.map((text) => Buffer.from(text)), Buffer.from(value, "utf16le")];
}

type Wanted = { readonly value: string; readonly shapes: readonly Buffer[] };

async function findInFile(path: string, wanted: readonly Wanted[]): Promise<string[]> {
  const overlap = Math.max(...wanted.flatMap(({ shapes }) => shapes.map(({ length }) => length)));
  const found = new Set<string>();
  let tail = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    const window = Buffer.concat([tail, chunk as Buffer]);
    for (const { value, shapes } of wanted) {
      if (shapes.some((shape) => window.includes(shape))) found.add(value);
    }
    tail = window.subarray(-overlap);
  }
  return [...found];
}

/** Searches all files for all values, reading each file once. */
async function findInFiles(folder: string, values: readonly string[]): Promise<Set<string>> {
  const wanted = values.map((value) => ({ value, shapes: shapesOf(value) }));
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = new Set<string>();
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    for (const value of await findInFile(path, wanted)) found.add(value);
  }
  return found;
}

/** Searches all rows of all tables for the values, as text. */
async function findInTables(dataDir: string, values: readonly string[]): Promise<Set<string>> {
  return await withProductDatabase({ dataDir }, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`);
    assert.ok(tables.length > 10);
    const found = new Set<string>();
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(
        `select line::text as text from ${name} as line`,
      );
      for (const value of values) {
        const shapes = shapesOf(value).map((shape) => shape.toString("latin1"));
        if (rows.some(({ text }) => shapes.some((shape) => text.includes(shape)))) found.add(value);
      }
    }
    return found;
  });
}

it("the value of a secret is nowhere: not in the data directory, a table, a log or an answer to others", async (t) => {
  const dataDir = await makeDataDir();
  const product = await startProduct({ env: { DATA_DIR: dataDir, LOG_LEVEL: "debug" } });
  t.after(async () => {
    await product.kill("SIGTERM");
    await removeDataDir(dataDir);
  });
  const [value, replaced] = [randomBytes(18), randomBytes(18)].map((it) =>
    it.toString("base64url"),
  );
  assert.ok(value !== undefined && replaced !== undefined);
  const known = `known-${randomBytes(18).toString("base64url")}`;
  const files = { "tenant.yml": `name: ${known}\n` };
  assert.equal((await product.put("/api/tenants/acme", { key, body: { files } })).status, 201);

  const path = "/api/acme/secrets/SFTP-PASSWORD";
  const headers = { "idempotency-key": "once" };
  assert.equal((await product.put(path, { key, body: { value }, headers })).status, 201);
  assert.equal((await product.get(path, { key })).body.value, value);
  assert.equal((await product.put(path, { key, body: { value: replaced }, headers })).status, 204);
  // Refused requests are the most likely to write values to logs.
  await product.put(path, { key, body: { value, other: replaced } });
  await product.put(path, { key, rawBody: `{"value":"${value}`, headers });
  await product.put(path, { body: { value } });
  await product.put(`${path}%20`, { key, body: { value } });
  await withProductDatabase({ dataDir }, (client) =>
    client.query("update secret set sealed = substring(sealed from 2)"),
  );
  assert.equal((await product.get(path, { key })).status, 409);

  const others = ["/api/acme/secrets", "/api/acme/admin/audit", "/api/tenants", "/metrics"];
  for (const place of others) {
    const { status, text } = await product.get(place, { key });
    assert.equal(status, 200);
    assert.ok(!text.includes(value) && !text.includes(replaced), place);
  }
  // The known text must be found, which proves that the search works.
  const all = [value, replaced, known];
  assert.deepEqual(await findInTables(dataDir, all), new Set([known]));
  // Stops the product first, so that the database has written everything to disk.
  await product.kill("SIGTERM");
  assert.deepEqual(await findInFiles(dataDir, all), new Set([known]));
  for (const secret of [value, replaced]) assert.ok(!product.output().includes(secret));
});
