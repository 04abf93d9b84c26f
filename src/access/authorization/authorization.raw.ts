import type { FastifyReply, FastifyRequest } from "fastify";
import type { Runtime } from "#kernel/runtime.ts";
import { publicPath } from "./authorization.provider.ts";

/**
 * Makes the library use BASE_URL as the public address, for links and for `Secure` cookies. Headers
 * that a caller sends must not change it.
 */
export function prepareRequest(
  { baseUrl }: Runtime,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { protocol, host, origin } = new URL(baseUrl);
  const { raw } = request;
  raw.headers["x-forwarded-proto"] = protocol.slice(0, -1);
  raw.headers["x-forwarded-host"] = host;
  Object.assign(raw, { baseUrl: publicPath(baseUrl) });
  reply.raw.setHeader("x-request-id", request.state.requestId);
  reply.raw.setHeader("x-content-type-options", "nosniff");
  reply.raw.setHeader("referrer-policy", "same-origin");
  // `script-src` is empty: the library adds the hash of its own script for pages that need one.
  reply.raw.setHeader(
    "content-security-policy",
    `default-src 'none'; script-src; form-action 'self' ${origin}; base-uri 'none'; frame-ancestors 'none'`,
  );
}
