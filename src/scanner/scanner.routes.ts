import type { FastifyInstance, FastifyReply } from "fastify";
import type { Asset } from "#kernel/http/asset.ts";
import { chooseEncoding } from "#kernel/http/encoding.ts";
import { loadScannerFiles, type ScannerFiles } from "./scanner.files.ts";

/**
 * The page loads its own files and calls this service, nothing else. WebAssembly is compiled for
 * browsers that cannot read barcodes themselves; no other code is made from text.
 */
const SECURE: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "manifest-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "permissions-policy": "camera=(self), screen-wake-lock=(self), microphone=(), geolocation=()",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** Serves the scanner page under `/scan`, with all its files from this process. */
export function plugScanner(app: FastifyInstance): void {
  let loading: Promise<ScannerFiles> | undefined;
  const load = () => {
    loading ??= loadScannerFiles();
    return loading;
  };
  app.get("/scan", async (_request, reply) => {
    const { page } = await load();
    return send(reply, "text/html; charset=utf-8", page);
  });
  app.get("/scan/", (_request, reply) => reply.redirect("../scan", 308));
  app.get("/scan/worker.js", async (_request, reply) => {
    const { worker } = await load();
    // The page itself is not below the folder of the worker. Relative, so that it works behind a
    // proxy that adds a prefix.
    reply.header("service-worker-allowed", "../scan");
    return send(reply, "text/javascript; charset=utf-8", worker);
  });
  app.get("/scan/manifest.webmanifest", async (_request, reply) => {
    const { manifest } = await load();
    return send(reply, "application/manifest+json; charset=utf-8", manifest);
  });
  app.get<{ Params: { hash: string; "*": string } }>(
    "/scan/assets/:hash/*",
    async (request, reply) => {
      const { hash, "*": name } = request.params;
      const asset = (await load()).assets.get(`${hash}/${name}`);
      if (asset === undefined) return reply.callNotFound();
      return await sendAsset(asset, request.headers["accept-encoding"], reply);
    },
  );
}

/** These stay at their addresses when their content changes, so browsers ask each time. */
function send(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply.headers(SECURE).header("cache-control", "no-cache").type(type).send(text);
}

async function sendAsset(
  asset: Asset,
  accepted: string | string[] | undefined,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const encoding = chooseEncoding(Array.isArray(accepted) ? accepted.join(",") : accepted);
  const bytes = await asset.encoded(encoding);
  reply.headers({
    ...SECURE,
    vary: "accept-encoding",
    // The address contains a hash of the content, so a cached copy is never out of date.
    "cache-control": "public, max-age=31536000, immutable",
  });
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  return reply.type(asset.type).send(bytes);
}
