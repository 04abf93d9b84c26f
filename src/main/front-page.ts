import type { FastifyInstance, FastifyRequest } from "fastify";
import { negotiate } from "#kernel/http/media-type.ts";
import { problem } from "#kernel/http/problem.ts";

/**
 * Addresses that people open first, each with the relative path to where it leads: to the console,
 * or from the address of the API to its reference.
 */
const FRONT_PAGES = { "/": "console", "/api": "docs", "/api/": "../docs" } as const;

const ELSEWHERE =
  "There is nothing at this address. /docs is the API reference for people, /openapi.json the same for programs.";

/** Redirects browsers; other callers get the address of the API reference. */
export function plugFrontPage(app: FastifyInstance): void {
  for (const [url, target] of Object.entries(FRONT_PAGES)) {
    app.get(url, async (request, reply) => {
      reply.header("vary", "accept").header("cache-control", "no-cache");
      if (!wantsPage(request)) throw problem("routeNotFound", ELSEWHERE);
      // A relative path, so that it works behind a proxy that adds a prefix.
      return reply.redirect(target, 302);
    });
  }
}

function wantsPage({ headers: { accept } }: FastifyRequest): boolean {
  return negotiate(accept, ["application/json", "text/html"]) === "text/html";
}
