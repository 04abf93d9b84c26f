import { createReadStream } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fastify from "fastify";

/*
 * What one would write for a file that never changes: Fastify, which looks at the file and streams
 * it, as plugins for static files do. No pass is looked up, no key is checked, nothing is logged.
 */

const folder = await mkdtemp(join(tmpdir(), "billfold-bench-file-"));
const path = join(folder, "pass.pkpass");
const app = fastify({ logger: false, bodyLimit: 10_000_000 });
app.addContentTypeParser("application/octet-stream", { parseAs: "buffer" }, (_, body, done) =>
  done(null, body),
);

let kept: Buffer = Buffer.alloc(0);
let keptAt = "";

app.get("/ready", async () => ({}));

app.put<{ Body: Buffer }>("/file", async ({ body }, reply) => {
  await writeFile(path, body);
  [kept, keptAt] = [body, new Date().toUTCString()];
  return reply.code(204).send();
});

app.get("/file", async (_, reply) => {
  const { size, mtime } = await stat(path);
  return reply
    .headers({
      "content-type": "application/vnd.apple.pkpass",
      "content-length": size,
      "last-modified": mtime.toUTCString(),
      etag: `W/"${size.toString(16)}-${mtime.getTime().toString(16)}"`,
      "cache-control": "public, max-age=0",
    })
    .send(createReadStream(path));
});

/** The strictest: the bytes are in memory, and a phone that has them gets none. */
app.get("/buffer", async (request, reply) => {
  reply.header("last-modified", keptAt).header("cache-control", "no-cache");
  if (request.headers["if-modified-since"] === keptAt) return reply.code(304).send();
  return reply.header("content-type", "application/vnd.apple.pkpass").send(kept);
});

process.once("SIGTERM", () => void app.close().then(() => rm(folder, { recursive: true })));
await app.listen({ port: Number(process.env.PORT), host: "127.0.0.1" });
