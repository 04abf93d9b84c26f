import type { FastifyInstance, FastifyReply } from "fastify";
import type { Asset } from "../asset.ts";
import { chooseEncoding } from "../encoding.ts";
import { escapeText } from "../html.ts";
import type { DocumentAddresses } from "../openapi/openapi.routes.ts";
import type { TokenSource } from "../openapi/security.ts";
import { describeCallback } from "./callback.ts";
import { type DocsAssets, hashOf, loadDocsAssets } from "./docs-assets.ts";

/**
 * The page may load from and call only this site and, if it is another one, the site that issues
 * tokens. Inline styles are allowed because the API reference injects its own; inline scripts are
 * not.
 */
function contentSecurityPolicy(tokenOrigin?: string): string {
  return [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    tokenOrigin === undefined ? "connect-src 'self'" : `connect-src 'self' ${tokenOrigin}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

const CONTENT_SECURITY_POLICY = contentSecurityPolicy();

/** The OAuth client that the page uses to get tokens. */
export type DocsClient = {
  readonly clientId: string;
  /** The callback addresses of the client; unknown for a client of another issuer. */
  readonly callbacks?: readonly string[];
  readonly signOutUrl?: string;
};

export type DocsOptions = {
  readonly findAddresses: () => Promise<DocumentAddresses>;
  /**
   * Undefined if the installation has no client for this page: people then type in a client of
   * their own.
   */
  readonly client: DocsClient | undefined;
};

/** Serves the API reference under `/docs`, with all its files from this process. */
export function plugDocs(app: FastifyInstance, { findAddresses, client }: DocsOptions): void {
  let loaded: Promise<DocsAssets> | undefined;
  const load = () => {
    loaded ??= loadDocsAssets();
    return loaded;
  };
  const signIn = client === undefined ? "" : JSON.stringify(client);

  app.get("/docs", async (request, reply) => {
    const [{ index }, { tokenSource }] = await Promise.all([load(), findAddresses()]);
    const page = fill(index, { "sign-in": signIn });
    const pageTag = `"${hashOf(page)}"`;
    secure(reply)
      .header("content-security-policy", contentSecurityPolicy(tokenOriginOf(tokenSource)))
      .header("cache-control", "no-cache")
      .header("etag", pageTag);
    if (request.headers["if-none-match"] === pageTag) return reply.code(304).send();
    return reply.type("text/html; charset=utf-8").send(page);
  });

  // The page on which a sign-in from the reference ends. The reference reads the code and the token
  // from the address of this window, so the page only shows what went wrong.
  app.get<{ Querystring: Record<string, unknown> }>("/docs/callback", async (request, reply) => {
    const { callback } = await load();
    secure(reply).header("cache-control", "no-store");
    return reply
      .type("text/html; charset=utf-8")
      .send(fill(callback, describeCallback(request.query)));
  });

  app.get("/docs/", (_request, reply) => reply.redirect("../docs", 308));

  app.get<{ Params: { hash: string; name: string } }>(
    "/docs/:hash/:name",
    async (request, reply) => {
      const { hash, name } = request.params;
      const asset = (await load()).assets.get(`${hash}/${name}`);
      if (asset === undefined) return reply.callNotFound();
      return sendAsset(asset, request.headers["accept-encoding"], reply);
    },
  );
}

function tokenOriginOf(source: TokenSource | undefined): string | undefined {
  if (source === undefined || "openIdConnectUrl" in source) return undefined;
  const url = source.authorizationCode?.tokenUrl;
  return url === undefined ? undefined : new URL(url).origin;
}

function fill(page: string, texts: Readonly<Record<string, string>>): string {
  return page.replace(/\{\{([\w-]+)\}\}/g, (_, name: string) => escapeText(texts[name] ?? ""));
}

async function sendAsset(
  asset: Asset,
  accepted: string | string[] | undefined,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const encoding = chooseEncoding(Array.isArray(accepted) ? accepted.join(",") : accepted);
  const bytes = await asset.encoded(encoding);
  secure(reply)
    .type(asset.type)
    .header("vary", "accept-encoding")
    // The address contains a hash of the content, so a cached copy is never out of date.
    .header("cache-control", "public, max-age=31536000, immutable");
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  return reply.send(bytes);
}

function secure(reply: FastifyReply): FastifyReply {
  return reply.headers({
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
  });
}
