import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Provider } from "oidc-provider";
import { problem } from "#kernel/http/problem.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { AddressCounter } from "./access.address-counter.ts";
import { apiAudience, createProvider } from "./authorization.provider.ts";
import { prepareRequest } from "./authorization.raw.ts";
import { toOpenIdRequest } from "./authorization.request.ts";
import { addUserInfo } from "./authorization.userinfo.ts";
import { addSignInPages } from "./sign-in.forms.ts";

const PROTOCOL_ROUTES = [
  ["GET", "/authorize"],
  ["GET", "/authorize/:uid"],
  ["POST", "/token"],
  ["POST", "/token/revocation"],
  ["GET", "/jwks"],
  ["GET", "/.well-known/openid-configuration"],
  ["GET", "/.well-known/oauth-authorization-server"],
  ["GET", "/sign-out"],
  ["GET", "/sign-out/success"],
  ["POST", "/sign-out/confirm"],
] as const;

const VISITS_PER_MINUTE_MAX = 300;

/** The built-in authorization server and its pages, at the root of the public address. */
export function plugAuthorizationServer(app: FastifyInstance, runtime: Runtime): void {
  const getProvider = once(() => createProvider(runtime));
  const visits = new AddressCounter(VISITS_PER_MINUTE_MAX, () => performance.now());
  addSignInPages(app, runtime, getProvider);
  addUserInfo(app, runtime);
  app.register((scope, _options, done) => {
    // The library reads the body by itself, so it must still be there.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _body, done) => done(null));
    for (const [method, url] of PROTOCOL_ROUTES) {
      scope.route({
        method,
        url,
        handler: async (request, reply) => {
          requireFewVisits(visits, request.ip);
          const provider = await getProvider();
          await handOver(provider, runtime, request, reply);
        },
      });
    }
    done();
  });
}

/** Each visit leaves a row for an hour, and nobody has to sign in to make one. */
function requireFewVisits(visits: AddressCounter, ip: string): void {
  if (visits.isExhausted(ip)) {
    const headers = { "retry-after": String(visits.secondsLeft(ip)) };
    throw problem("rateLimited", "Too many visits from this address.", { headers });
  }
  visits.record(ip);
}

async function handOver(
  provider: Provider,
  runtime: Runtime,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  prepareRequest(runtime, request, reply);
  const { raw } = request;
  if (request.routeOptions.url === "/authorize") {
    raw.url = toOpenIdRequest(raw.url ?? "", apiAudience(runtime.baseUrl));
  }
  reply.hijack();
  await provider.callback()(raw, reply.raw);
}

/** One attempt at a time, kept once it succeeded. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
