import assert from "node:assert/strict";
import { request } from "node:http";
import { after, describe, it } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const TENANT = "harbour";
const api = await startApi({ after });
await seedPassTenant(api, TENANT);
for (let count = 0; count < 40; count += 1) await seedPass(api, TENANT);
const key = api.operatorKey;
const PASSES = `/api/${TENANT}/passes`;

type Raw = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  /** The decompressed body. */
  readonly text: string;
};

/** Gets the bytes as they were sent, because `fetch` would decompress them. */
function get(
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
  body?: string,
): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = request(
      api.url + path,
      { method, headers: { "x-api-key": key, ...headers } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => {
          const bytes = Buffer.concat(chunks);
          const encoding = String(answer.headers["content-encoding"] ?? "identity");
          const text = method === "HEAD" ? "" : unpack(bytes, encoding).toString();
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes, text });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

function unpack(bytes: Buffer, encoding: string): Buffer {
  if (encoding === "br") return brotliDecompressSync(bytes);
  return encoding === "gzip" ? gunzipSync(bytes) : bytes;
}

const encodingOf = ({ headers }: Raw) => headers["content-encoding"];

describe("answers over 1 kB", () => {
  it("200: are packed as the caller takes it, and are the same when unpacked", async () => {
    const plain = await get(PASSES);
    assert.equal(encodingOf(plain), undefined);
    assert.ok(plain.bytes.length > 10_000);
    const accepted: readonly [header: string, encoding: string | undefined][] = [
      ["gzip", "gzip"],
      ["br", "br"],
      ["gzip, deflate, br, zstd", "br"],
      ["gzip;q=1.0, br;q=0.5", "gzip"],
      ["br;q=0, gzip", "gzip"],
      ["GZIP", "gzip"],
      ["x-gzip", "gzip"],
      ["*", "br"],
      ["*;q=0.5, gzip;q=0", "br"],
      ["identity", undefined],
      ["", undefined],
      ["gzip;q=0", undefined],
      ["gzip;q=0, br;q=0.000", undefined],
      ["identity;q=1, gzip;q=0.5", undefined],
      ["deflate, zstd", undefined],
      ["*;q=0", undefined],
      ["identity;q=0, *;q=0", undefined],
      ["identity;q=0", undefined],
      ["deflate, identity;q=0", undefined],
      ["identity;q=0, gzip", "gzip"],
      [`${"x".repeat(2_000)}, gzip`, undefined],
    ];
    for (const [header, encoding] of accepted) {
      const answer = await get(PASSES, { "accept-encoding": header });
      assert.equal(answer.status, 200);
      assert.equal(encodingOf(answer), encoding, header);
      assert.equal(answer.headers.vary, "accept, accept-encoding", header);
      assert.equal(answer.headers["content-length"], String(answer.bytes.length), header);
      assert.deepEqual(JSON.parse(answer.text), JSON.parse(plain.text), header);
      if (encoding !== undefined) assert.ok(answer.bytes.length < plain.bytes.length / 3, header);
    }
  });

  it("200: large ones too, beside the work of others", async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => get(`${PASSES}?pageSize=500`, { "accept-encoding": "br" })),
    );
    for (const answer of answers) {
      assert.equal(encodingOf(answer), "br");
      assert.equal(JSON.parse(answer.text).length, 40);
    }
  });

  it("200: shorter ones are sent as they are", async () => {
    const answer = await get("/api/warmup", { "accept-encoding": "gzip" });
    assert.equal(encodingOf(answer), undefined);
    assert.equal(answer.headers.vary, "accept");
  });

  it("200: HEAD tells the same as GET", async () => {
    const accept = { "accept-encoding": "gzip" };
    const [head, full] = [await get(PASSES, accept, "HEAD"), await get(PASSES, accept)];
    assert.equal(head.bytes.length, 0);
    for (const name of ["content-encoding", "vary", "content-type"]) {
      assert.equal(head.headers[name], full.headers[name], name);
    }
  });

  it("400: refusals are packed as well", async () => {
    const query = Array.from({ length: 40 }, (_, at) => `unknown${at}=1`).join("&");
    const answer = await get(`${PASSES}?${query}`, { "accept-encoding": "gzip" });
    assert.equal(answer.status, 400);
    assert.equal(encodingOf(answer), "gzip");
    assert.equal(Object.keys(JSON.parse(answer.text).errors).length, 40);
  });

  it("200: not credentials, so that their length tells nothing", async () => {
    const body = { events: ["pass.*"], endpoint: "https://hooks.harbour.example/" };
    for (let count = 0; count < 10; count += 1) {
      await api.post(`/api/${TENANT}/webhooks`, { key, body });
    }
    await api.put(`/api/${TENANT}/secrets/LONG`, { key, body: { value: "x".repeat(5_000) } });
    for (const path of ["webhooks", "secrets/LONG"]) {
      const answer = await get(`/api/${TENANT}/${path}`, { "accept-encoding": "gzip, br" });
      assert.equal(answer.status, 200);
      assert.ok(answer.bytes.length > 1_024);
      assert.equal(encodingOf(answer), undefined, path);
    }
  });

  it("200: not archives and not streams", async () => {
    const archive = await get(`/api/tenants/${TENANT}`, { "accept-encoding": "gzip" });
    assert.equal(archive.headers["content-type"], "application/zip");
    assert.equal(encodingOf(archive), undefined);
    const stream = await api.get(`/api/${TENANT}/events/stream`, {
      key,
      headers: { "accept-encoding": "gzip" },
    });
    assert.equal(stream.headers.get("content-encoding"), null);
  });

  it("200: metrics and the description of the API, too", async () => {
    for (const path of ["/metrics", "/openapi.json"]) {
      for (const encoding of ["br", "gzip"]) {
        const answer = await get(path, { "accept-encoding": encoding });
        assert.equal(encodingOf(answer), encoding, path);
        assert.equal(answer.headers.vary, "accept-encoding");
        assert.ok(answer.text.length > 5 * answer.bytes.length, path);
      }
    }
    const { bytes, text } = await get("/openapi.json", { "accept-encoding": "br" });
    const { paths }: { paths: Record<string, object> } = JSON.parse(text);
    const operations = Object.values(paths).flatMap((methods) => Object.keys(methods));
    assert.ok(bytes.length < 450 * operations.length, `${bytes.length} bytes`);
  });
});

describe("the ETag of a packed answer", () => {
  const FILES = { accept: "application/json" };
  const TENANTS = `/api/tenants/${TENANT}`;

  it("200: differs from that of the plain one, for their bytes do", async () => {
    const plain = await get(TENANTS, FILES);
    const packed = await get(TENANTS, { ...FILES, "accept-encoding": "gzip" });
    const brotli = await get(TENANTS, { ...FILES, "accept-encoding": "br" });
    const tags = [plain, packed, brotli].map(({ headers }) => String(headers.etag));
    assert.equal(new Set(tags).size, 3);
    for (const tag of tags) assert.match(tag, /^"[^"]+"$/);
    for (const { headers } of [plain, packed, brotli]) {
      assert.equal(headers.vary, "accept, accept-encoding");
    }
  });

  it("304: to whoever has the newest in whichever form, with the ETag of that form", async () => {
    for (const encoding of ["identity", "gzip", "br"]) {
      const accept = { ...FILES, "accept-encoding": encoding };
      const { headers } = await get(TENANTS, accept);
      const tag = String(headers.etag);
      for (const sent of [tag, `W/${tag}`, `"other", ${tag}`]) {
        const again = await get(TENANTS, { ...accept, "if-none-match": sent });
        assert.equal(again.status, 304, sent);
        assert.equal(again.headers.etag, tag);
        assert.equal(again.headers["content-encoding"], undefined);
        assert.equal(again.bytes.length, 0);
      }
    }
    const document = await get("/openapi.json", { "accept-encoding": "br" });
    const again = await get("/openapi.json", {
      "accept-encoding": "br",
      "if-none-match": String(document.headers.etag),
    });
    assert.equal(again.status, 304);
  });

  it("200, 412: guards a change as that of the plain one does", async () => {
    const { headers } = await get(TENANTS, { ...FILES, "accept-encoding": "gzip" });
    const body = JSON.stringify({ files: { "images/note.txt": "changed" } });
    const change = { "content-type": "application/json", "if-match": String(headers.etag) };
    assert.equal((await get(TENANTS, change, "PATCH", body)).status, 200);
    assert.equal((await get(TENANTS, change, "PATCH", body)).status, 412);
  });
});
