import { promisify } from "node:util";
import zlib, { brotliCompress, brotliCompressSync, gzip, gzipSync } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Asset } from "./asset.ts";
import { chooseEncoding, type Encoding } from "./encoding.ts";
import { packedEtag } from "./etag.ts";
import type { Route } from "./route.ts";

const PACKED_BYTES_MIN = 1_024;
/**
 * Longer answers are compressed in a thread. Handing over to a thread takes half a millisecond,
 * which is more than compressing up to this size takes: 0.2 ms for 32 kB.
 */
const SYNC_BYTES_MAX = 32 * 1_024;
const PACKABLE = /^(?:text\/(?!event-stream)|application\/(?:[\w.-]+\+)?json)/;

/**
 * Chosen for speed, as measured on pages of passes: brotli at quality 1 compresses 273 kB to 26 kB
 * in 0.7 ms, gzip at level 4 to 28 kB in 1.8 ms. Higher settings save a tenth and take three times
 * as long.
 */
const GZIP = { level: 4 };
const brotliFor = (bytes: number) => ({
  params: {
    [zlib.constants.BROTLI_PARAM_QUALITY]: 1,
    [zlib.constants.BROTLI_PARAM_MODE]: zlib.constants.BROTLI_MODE_TEXT,
    [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes,
  },
});

const gzipLater = promisify(gzip);
const brotliLater = promisify(brotliCompress);

/**
 * Sends an answer in the encoding that the caller prefers. Answers that contain credentials
 * (`noStore`) are not compressed: if an attacker can choose text next to a secret, the length of
 * the compressed bytes reveals the secret letter by letter (BREACH). Links of passes are not
 * credentials of the API, and the attack would need thousands of requests by the caller, whose key
 * no browser sends by itself.
 */
export function sendPacked(
  route: Route | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  body: string | Buffer | Asset,
): FastifyReply | Promise<FastifyReply> {
  if (body instanceof Asset) return sendForm(request, reply, (wanted) => body.encoded(wanted));
  if (route?.noStore === true || isShort(body) || !isPackable(reply)) return reply.send(body);
  return sendForm(request, reply, (encoding) => pack(body, encoding));
}

function isShort(body: string | Buffer): boolean {
  return body.length <= PACKED_BYTES_MIN && Buffer.byteLength(body) <= PACKED_BYTES_MIN;
}

function isPackable(reply: FastifyReply): boolean {
  return PACKABLE.test(String(reply.getHeader("content-type") ?? ""));
}

async function sendForm(
  request: FastifyRequest,
  reply: FastifyReply,
  formOf: (encoding: Encoding) => string | Buffer | Promise<Buffer>,
): Promise<FastifyReply> {
  varyBy(reply, "accept-encoding");
  const accepted = request.headers["accept-encoding"];
  const encoding = chooseEncoding(Array.isArray(accepted) ? accepted.join(",") : accepted);
  const form = await formOf(encoding);
  if (encoding !== "identity") {
    reply.header("content-encoding", encoding);
    const etag = reply.getHeader("etag");
    if (typeof etag === "string") reply.header("etag", packedEtag(etag, encoding));
  }
  return reply.send(form);
}

/** Adds a name to the `Vary` header, which may have been set before. */
export function varyBy(reply: FastifyReply, name: string): void {
  const known = reply.getHeader("vary");
  if (known === name) return;
  reply.header("vary", known === undefined ? name : `${known}, ${name}`);
}

function pack(body: string | Buffer, encoding: Encoding): string | Buffer | Promise<Buffer> {
  if (encoding === "identity") return body;
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const isLong = bytes.length > SYNC_BYTES_MAX;
  if (encoding === "gzip") return isLong ? gzipLater(bytes, GZIP) : gzipSync(bytes, GZIP);
  const brotli = brotliFor(bytes.length);
  return isLong ? brotliLater(bytes, brotli) : brotliCompressSync(bytes, brotli);
}
