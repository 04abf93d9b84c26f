import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { ProblemError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { admit } from "./admission.ts";
import { BODY_SIZE_BYTES_MAX, bodySizeBytesMax, bodyTooLarge } from "./body-size.ts";
import { answerClientError } from "./client-error.ts";
import { negotiateProblem } from "./media-type.ts";
import { operationOf } from "./operation.ts";
import { guardOwnHost } from "./own-host.ts";
import { sendPacked, varyBy } from "./packing.ts";
import { presentProblem, problem } from "./problem.ts";
import { unsupportedType } from "./read-body.ts";
import { takeRequestId } from "./request-id.ts";
import type { Route } from "./route.ts";
import { notFoundProblem } from "./route-table.ts";
import { type RouteOptions, runRoute } from "./run-route.ts";
import type { RequestState, ServerOptions } from "./server-options.ts";
import { StreamHost } from "./stream-host.ts";
import { routeUnreadable } from "./unreadable-address.ts";
import { Bodies } from "./upload/bodies.ts";
import { createUploadPlaces } from "./upload/incoming-upload.ts";

const HEADERS_MAX = 200;

/**
 * Routes bring their own validators (`validation.ts`), so Fastify never sees a schema. Without these two
 * functions it would load a validator and a serializer of its own, a hundred modules, at every start.
 */
const NO_SCHEMAS = { buildValidator: refuseSchema, buildSerializer: refuseSchema };

function refuseSchema(): never {
  throw new Error("Schemas belong to our own routes, not to those of Fastify.");
}

export function createServer(options: ServerOptions): FastifyInstance {
  const app: FastifyInstance = fastify({
    logger: false,
    trustProxy: trustedHops(options.trustedProxies),
    bodyLimit: BODY_SIZE_BYTES_MAX,
    requestTimeout: 60_000,
    keepAliveTimeout: 72_000,
    connectionTimeout: 0,
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: false },
    schemaController: { compilersFactory: NO_SCHEMAS },
    http: {
      headersTimeout: 15_000,
      // How often Node checks the timeouts above; its default of 30 s would be too coarse.
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: 32 * 1024,
      // How much Node reads ahead of a waiting body; chunks of one byte take a hundred times as much.
      highWaterMark: 16 * 1024,
      // Checked in `checkHeaders` instead, whose refusal has a body.
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, options.runtime.log),
    frameworkErrors: (error, request, reply) => {
      if (error.code === "FST_ERR_BAD_URL" && routeUnreadable(app, request, reply)) return;
      begin(request);
      void sendProblem(request, reply, fromFramework(error), options);
    },
    return503OnClosing: false,
    forceCloseConnections: "idle",
    exposeHeadRoutes: true,
  });

  app.decorateRequest("state", null as unknown as RequestState);
  const bodies = takeBodies(app, options);

  app.addHook("onRequest", (request, _reply, done) => {
    begin(request);
    const refusal = checkHeaders(request);
    if (refusal !== undefined) return done(refusal);
    // Checked in this hook, because a handler would run only after the body was read.
    const go = () => done(request.is404 ? notFoundProblem(options.table, request) : undefined);
    const guard = guardOwnHost(request, options.ports);
    if (guard === undefined) go();
    else guard.then(go, done);
  });
  app.addHook("onResponse", (request, reply, done) => {
    options.runtime.metrics.record(request, reply);
    logRequest(request, reply, options.runtime);
    done();
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const { route } = request.routeOptions.config;
    const known = error instanceof ProblemError ? error : fromFramework(error, route);
    const params = request.params as Readonly<Record<string, string>>;
    const told = known && (route?.translate?.(known, params) ?? known);
    return sendProblem(request, reply, told, options, error);
  });
  app.setNotFoundHandler((request, reply) =>
    sendProblem(request, reply, notFoundProblem(options.table, request), options),
  );

  const streams = new StreamHost(options.runtime.log);
  options.ports.onRightsChanged((tenantId) => streams.checkRights(tenantId));
  app.addHook("preClose", async () => streams.close());
  const running = new Set<string>();
  const shared = { ...options, streams, running, bodies, uploads: createUploadPlaces() };
  for (const route of options.routes) addRoute(app, route, shared);
  return app;
}

/** Bodies stay bytes until the route has said which types it accepts: see `readBody`. */
function takeBodies(app: FastifyInstance, { uploadFolder, runtime }: ServerOptions): Bodies {
  const bodies = new Bodies(uploadFolder, runtime.log);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request, payload, done) => bodies.receive(request, payload, done));
  return bodies;
}

/**
 * `false` if there are no proxies: with a function, Fastify computes the address at every access.
 */
function trustedHops(count: number): false | ((address: string, hop: number) => boolean) {
  return count === 0 ? false : (_address, hop) => hop < count;
}

function addRoute(app: FastifyInstance, route: Route, options: RouteOptions): void {
  app.route({
    method: route.method,
    url: route.url,
    config: { route },
    bodyLimit: bodySizeBytesMax(route),
    // Before the body is read, so that nothing is parsed for a caller without the right.
    onRequest: (request, reply) => admit(route, request, reply, options),
    handler: (request, reply) =>
      options.bodies.whole(request, () => runRoute(route, request, reply, options)),
  });
}

function begin(request: FastifyRequest): void {
  const header = request.headers["x-request-id"];
  request.state = {
    startedAt: performance.now(),
    requestId: takeRequestId(typeof header === "string" ? header : undefined),
    actor: undefined,
    tenantId: undefined,
    tenantSince: undefined,
    problem: undefined,
  };
}

/**
 * Node silently drops headers beyond 2,000, and uses the first of two `Host` headers where a proxy
 * may have used the second.
 */
function checkHeaders({ raw }: FastifyRequest): ProblemError | undefined {
  const { rawHeaders } = raw;
  if (rawHeaders.length > 2 * HEADERS_MAX) {
    return problem("headersTooLarge", `More than ${HEADERS_MAX} headers.`);
  }
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  if (hosts === 1 || (hosts === 0 && raw.httpVersion === "1.0")) return undefined;
  return problem("malformed", "A request has exactly one Host header.");
}

/** Undefined for a failure of this service: the caller then gets only the status. */
function fromFramework(error: FastifyError, route?: Route): ProblemError | undefined {
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return bodyTooLarge();
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return problem("malformed", "The body is not as long as Content-Length says.");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return unsupportedType(route);
    case "FST_ERR_BAD_URL":
      return problem("malformed", "The address has an invalid percent-encoding.");
    case "FST_ERR_MAX_PARAM_LENGTH":
      return problem("uriTooLong", "A part of the address is too long.");
    default:
      if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
        return problem("malformed", "The request cannot be read.");
      }
      return undefined;
  }
}

function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  known: ProblemError | undefined,
  options: ServerOptions,
  cause?: unknown,
): FastifyReply | Promise<FastifyReply> {
  const { requestId } = request.state;
  const { route } = request.routeOptions.config;
  reply.header("x-request-id", requestId).header("cache-control", "no-store");
  if (known === undefined) {
    const op = operationOf(request);
    options.runtime.log.error({ err: cause, requestId, op }, "a request failed");
    // The body is empty, so no internals leak; the request id leads to the log line.
    return reply.code(500).send();
  }
  request.state.problem = known;
  varyBy(reply, "accept");
  reply
    .code(known.status)
    .headers(known.headers)
    .header("content-type", `${negotiateProblem(request.headers.accept)}; charset=utf-8`);
  return sendPacked(route, request, reply, JSON.stringify(presentProblem(known, requestId)));
}

function logRequest(request: FastifyRequest, reply: FastifyReply, { log }: Runtime): void {
  if (!log.isLevelEnabled("info")) return;
  const { state } = request;
  log.info(
    {
      op: operationOf(request) ?? null,
      status: reply.statusCode,
      code: state.problem?.code,
      reason: state.problem?.reason,
      ms: Math.round((performance.now() - state.startedAt) * 100) / 100,
      tenantId: state.tenantId,
      actor: state.actor?.id,
      requestId: state.requestId,
      ip: request.ip,
    },
    "request",
  );
}
