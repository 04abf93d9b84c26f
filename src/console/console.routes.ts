import { randomBytes } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Asset } from "#kernel/http/asset.ts";
import { chooseEncoding } from "#kernel/http/encoding.ts";
import { escapeText } from "#kernel/http/html.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { createTokenSourceFinder, findConsoleClient } from "#src/access/public.ts";
import { consoleFilesOf } from "./console.files.ts";
import { type ConsoleSettings, settingsOf } from "./console.settings.ts";

const NONCE_BYTES = 16;

/**
 * The page loads its own files and calls this service, nothing else; `tokenOrigin` is the other
 * issuer, if one signs people in. Scripts come from files alone. Style elements, which the library
 * of components makes, carry the nonce of this answer.
 */
function contentSecurityPolicy(nonce: string, tokenOrigin: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self'${tokenOrigin === undefined ? "" : ` ${tokenOrigin}`}`,
    "manifest-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

const SECURE: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), clipboard-write=(self)",
  "cross-origin-resource-policy": "same-origin",
};

/**
 * Sign-in opens in a window of its own if a session ends while somebody is typing. That window ends
 * at the callback, which has no such header: it could not close itself if it were kept apart.
 */
const KEPT_APART = { "cross-origin-opener-policy": "same-origin-allow-popups" };
const CALLBACK = "/console/callback";

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Billfold console</title>
<h1>The console is not built</h1>
<p>The API works. To get the console, run <code>npm ci</code> with development packages, or
<code>npm run build:console</code>, and open this page again. The log says why it could not be built.</p></html>
`;

/** Serves the console under `/console`. Addresses below it belong to its own router. */
export function plugConsole(app: FastifyInstance, runtime: Runtime): void {
  const files = consoleFilesOf(runtime);
  const findSettings = createSettingsFinder(runtime);

  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
    const nonce = randomBytes(NONCE_BYTES).toString("base64url");
    const settings = await findSettings();
    reply.headers({
      ...SECURE,
      ...(request.url.startsWith(CALLBACK) ? {} : KEPT_APART),
      "content-security-policy": contentSecurityPolicy(nonce, tokenOriginOf(settings)),
      // The nonce is for one answer, and a new version must be seen at once.
      "cache-control": "no-store",
      "content-type": "text/html; charset=utf-8",
    });
    const index = await files.load().catch(() => undefined);
    if (index === undefined) return reply.code(503).header("retry-after", "60").send(NOT_BUILT);
    return reply.send(fillPage(index, runtime, nonce, settings));
  };

  app.get("/console", sendPage);
  app.get("/console/*", sendPage);
  app.get<{ Params: { name: string } }>("/console/assets/:name", async (request, reply) => {
    const { name } = request.params;
    // A node that was started anew may be asked for a part before the page.
    if (files.findAsset(name) === undefined) await files.load().catch(() => undefined);
    const asset = files.findAsset(name);
    if (asset === undefined) return reply.callNotFound();
    return await sendAsset(asset, request.headers["accept-encoding"], reply);
  });
}

function createSettingsFinder(runtime: Runtime): () => Promise<ConsoleSettings> {
  const client = findConsoleClient(runtime);
  const { authIssuer } = runtime;
  const findSource =
    authIssuer === undefined ? async () => undefined : createTokenSourceFinder(runtime, authIssuer);
  return async () => settingsOf(runtime, client, await findSource());
}

function tokenOriginOf({ baseUrl, signIn }: ConsoleSettings): string | undefined {
  if (signIn === undefined) return undefined;
  const { origin } = new URL(signIn.tokenUrl);
  return origin === new URL(baseUrl).origin ? undefined : origin;
}

/** Addresses of files are absolute, because the page is sent at addresses of any depth. */
function fillPage(
  index: string,
  { baseUrl }: Runtime,
  nonce: string,
  settings: ConsoleSettings,
): string {
  const path = new URL(baseUrl).pathname.replace(/\/$/, "");
  return index
    .replaceAll("{{nonce}}", nonce)
    .replaceAll('"./assets/', `"${escapeText(path)}/console/assets/`)
    .replace("{{settings}}", () => escapeText(JSON.stringify(settings)));
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
    "content-security-policy": "default-src 'none'",
    vary: "accept-encoding",
    // The name contains a hash of the content, so a cached copy is never out of date.
    "cache-control": "public, max-age=31536000, immutable",
  });
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  return reply.type(asset.type).send(bytes);
}
