import type { FastifyReply, FastifyRequest } from "fastify";
import { type Actor, isAllowed } from "../actor.ts";
import { SYSTEM_SCOPE } from "../db/scope.ts";
import { tenantNotFound } from "../tenant.errors.ts";
import type { Credentials, HttpPorts, RateDecision } from "./ports.ts";
import { problem } from "./problem.ts";
import { rightMissing } from "./right-missing.ts";
import type { Route } from "./route.ts";
import type { ServerOptions } from "./server-options.ts";

/** Runs every check that can refuse a request before its body is read. */
export async function admit(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  { ports }: ServerOptions,
): Promise<void> {
  const params = request.params as Record<string, string>;
  const { tenantId } = params;
  // The router reads `…/apiKeys/` as the address of a key with an empty name.
  for (const name in params) {
    if (params[name] === "") throw problem("routeNotFound", "There is nothing at this address.");
  }
  // PostgreSQL text cannot hold a NUL character, and none of our names contains one.
  if (request.url.includes("%00"))
    throw problem("malformed", "The address contains a NUL character.");
  if (route.scope === "public") return;

  const actor = await authorize(route, request, ports);
  const decision = await ports.takeToken(tenantId ?? SYSTEM_SCOPE, actor.credentialId, route);
  setRateHeaders(route, reply, decision);
  if (!decision.allowed) throw tooMany(route, decision);
}

/**
 * Checks who the caller is and whether the caller may use the route. A stream repeats this check
 * while it is open.
 */
export async function authorize(
  route: Route,
  request: FastifyRequest,
  ports: HttpPorts,
): Promise<Actor> {
  const { tenantId } = request.params as Record<string, string>;
  const { state } = request;
  const actor = await ports.authenticate(credentialsOf(request), tenantId);
  state.actor = actor;
  state.tenantId = tenantId;
  const scopes = [route.scope, ...(route.orScopes ?? [])];
  if (!scopes.some((scope) => isAllowed(actor, scope, tenantId))) {
    throw rightMissing(actor, route.scope, tenantId, "This operation");
  }

  if (tenantId === undefined) return actor;
  // Before the body is read, which may take longer than the tenant lasts.
  const since = actor.tenantSince ?? (await ports.tenantSince(tenantId));
  const isOther = state.tenantSince !== undefined && !isSame(state.tenantSince, since);
  if (isOther || (since === undefined && route.createsTenant !== true)) {
    throw tenantNotFound({ tenantId });
  }
  state.tenantSince = since;
  return actor;
}

function isSame(one: Date, other: Date | undefined): boolean {
  return one.getTime() === other?.getTime();
}

/**
 * Throws 404 if the tenant that the request was admitted to has ended since. Transactions find out by
 * themselves; without this, a request with a slow body would read what the next tenant of the id has.
 */
export async function requireSameTenant(
  { params, state: { tenantSince } }: FastifyRequest,
  ports: HttpPorts,
): Promise<void> {
  const { tenantId } = params as Record<string, string>;
  if (tenantId === undefined || tenantSince === undefined) return;
  if (!isSame(tenantSince, await ports.tenantSince(tenantId))) throw tenantNotFound({ tenantId });
}

function credentialsOf(request: FastifyRequest): Credentials {
  const apiKey = request.headers["x-api-key"];
  const { authorization } = request.headers;
  return {
    apiKey: typeof apiKey === "string" ? apiKey : undefined,
    bearer: authorization,
    ip: request.ip,
  };
}

/**
 * Follows draft-ietf-httpapi-ratelimit-headers. Each operation has its own limit, so the policy is
 * named after the operation.
 */
function setRateHeaders({ op }: Route, reply: FastifyReply, decision: RateDecision): void {
  const { limit, windowSeconds, remaining, resetSeconds } = decision;
  reply.header("ratelimit-policy", `"${op}";q=${limit};w=${windowSeconds}`);
  reply.header("ratelimit", `"${op}";r=${remaining};t=${resetSeconds}`);
}

function tooMany({ op }: Route, { limit, windowSeconds, resetSeconds }: RateDecision): Error {
  return problem(
    "rateLimited",
    `At most ${limit} such requests in ${windowSeconds} seconds. Try again in ${resetSeconds} seconds.`,
    {
      headers: { "retry-after": String(resetSeconds) },
      members: { "violated-policies": [op] },
    },
  );
}
