import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Provider } from "oidc-provider";
import { ProblemError } from "#kernel/errors.ts";
import { problem } from "#kernel/http/problem.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { AddressCounter } from "../credentials/address-counter.ts";
import { addSignInPages } from "../sign-in/sign-in.forms.ts";
import { explainFailure } from "./authorization.failure.ts";
import { apiAudience, createProvider } from "./authorization.provider.ts";
import { prepareRequest } from "./authorization.raw.ts";
import { toOpenIdRequest } from "./authorization.request.ts";
import { addUserInfo } from "./authorization.userinfo.ts";

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
/** The answer repeats these in its address or token, and proxies take headers of some kilobytes only. */
const REPEATED_PARAMETERS = ["state", "nonce"];
const REPEATED_LENGTH_MAX = 2_048;

/** Adds the built-in authorization server and its pages at the root of the public address. */
export function plugAuthorizationServer(app: FastifyInstance, runtime: Runtime): void {
  const getProvider = once(() => createProvider(runtime));
  const visits = new AddressCounter(VISITS_PER_MINUTE_MAX, () => performance.now());
  addSignInPages(app, runtime, getProvider);
  addUserInfo(app, runtime);
  app.register((scope, _options, done) => {
    // The library reads the body itself, so Fastify must not read it.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _body, done) => done(null));
    for (const [method, url] of PROTOCOL_ROUTES) {
      scope.route({
        method,
        url,
        handler: async (request, reply) => {
          const provider = await admitted(visits, request, getProvider).catch((failure: unknown) =>
            explain(runtime, request, reply, failure),
          );
          if (provider !== undefined) await handOver(provider, runtime, request, reply);
        },
      });
    }
    done();
  });
}

async function admitted(
  visits: AddressCounter,
  request: FastifyRequest,
  getProvider: () => Promise<Provider>,
): Promise<Provider> {
  requireFewVisits(visits, request.ip);
  if (request.routeOptions.url === "/authorize") requireShortParameters(request.raw.url ?? "");
  return await getProvider();
}

/** For failures before the library gets the request: unreadable keys, too many visits, long texts. */
function explain(
  runtime: Runtime,
  request: FastifyRequest,
  reply: FastifyReply,
  failure: unknown,
): undefined {
  if (!(failure instanceof ProblemError)) throw failure;
  const path = request.routeOptions.url ?? "";
  const { status, headers, body } = explainFailure(runtime, path, failure);
  const { requestId } = request.state;
  reply
    .code(status)
    .headers({ ...headers, "x-request-id": requestId })
    .send(body);
}

/** A visit to `/authorize` writes a row that stays for an hour, even without a sign-in. */
function requireFewVisits(visits: AddressCounter, ip: string): void {
  if (visits.isExhausted(ip)) {
    const headers = { "retry-after": String(visits.secondsLeft(ip)) };
    throw problem("rateLimited", "Too many visits from this address.", { headers });
  }
  visits.record(ip);
}

function requireShortParameters(url: string): void {
  const query = new URLSearchParams(url.split("?", 2)[1]);
  for (const name of REPEATED_PARAMETERS) {
    if ((query.get(name)?.length ?? 0) <= REPEATED_LENGTH_MAX) continue;
    throw problem(
      "malformed",
      `The parameter '${name}' has more than ${REPEATED_LENGTH_MAX} characters.`,
    );
  }
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

/** Calls `make` once and keeps the result. After a failure, the next call tries again. */
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
