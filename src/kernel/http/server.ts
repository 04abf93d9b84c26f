import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import type { Actor } from "../context.ts";
import { ProblemError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { admit } from "./admission.ts";
import { BODY_SIZE_BYTES_MAX, bodySizeBytesMax, bodyTooLarge } from "./body-size.ts";
import { answerClientError } from "./client-error.ts";
import { negotiateProblem } from "./media-type.ts";
import { guardOwnHost } from "./own-host.ts";
import { sendPacked } from "./packing.ts";
import type { HttpPorts } from "./ports.ts";
import { presentProblem, problem } from "./problem.ts";
import { unsupportedType } from "./read-body.ts";
import { takeRequestId } from "./request-id.ts";
import type { Route } from "./route.ts";
import { notFoundProblem, type RouteTable } from "./route-table.ts";
import { type RouteOptions, runRoute } from "./run-route.ts";
import { StreamHost } from "./stream-host.ts";
import { Bodies } from "./upload/bodies.ts";

/** What the hooks of one request leave for each other. */
export type RequestState = {
  readonly startedAt: number;
  readonly requestId: string;
  actor: Actor | undefined;
  tenantId: string | undefined;
};

declare module "fastify" {
  interface FastifyRequest {
    state: RequestState;
  }
  interface FastifyContextConfig {
    route?: Route;
  }
}

export type ServerOptions = {
  readonly runtime: Runtime;
  readonly routes: readonly Route[];
  readonly table: RouteTable;
  readonly ports: HttpPorts;
  /** How many reverse proxies stand in front: whose word on the caller's address counts. */
  readonly trustedProxies: number;
  /** Where large bodies wait. */
  readonly uploadFolder: string;
  /** Refuse to send an answer that its documentation does not allow: on in tests. */
  readonly checkReplies: boolean;
};

const HEADERS_MAX = 200;

export function createServer(options: ServerOptions): FastifyInstance {
  const app = fastify({
    logger: false,
    trustProxy: trustedHops(options.trustedProxies),
    bodyLimit: BODY_SIZE_BYTES_MAX,
    requestTimeout: 60_000,
    keepAliveTimeout: 72_000,
    connectionTimeout: 0,
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: false },
    http: {
      headersTimeout: 15_000,
      // How often the timeouts above are looked after: with Node's half minute they would not hold.
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: 32 * 1024,
      // Checked in `checkHeaders`, whose refusal has a body.
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, options.runtime.log),
    frameworkErrors: (error, request, reply) => {
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
    // Here and not in a handler: that would read the body first.
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
    const known =
      error instanceof ProblemError
        ? error
        : fromFramework(error, request.routeOptions.config.route);
    return sendProblem(request, reply, known, options, error);
  });
  app.setNotFoundHandler((request, reply) =>
    sendProblem(request, reply, notFoundProblem(options.table, request), options),
  );

  const streams = new StreamHost(options.runtime.log);
  options.ports.onRightsChanged((tenantId) => streams.checkRights(tenantId));
  app.addHook("preClose", (done) => {
    streams.close();
    done();
  });
  const running = new Set<string>();
  for (const route of options.routes)
    addRoute(app, route, { ...options, streams, running, bodies });
  return app;
}

/** Bodies stay bytes until the route has said what it takes: see `readBody`. */
function takeBodies(app: FastifyInstance, { uploadFolder, runtime }: ServerOptions): Bodies {
  const bodies = new Bodies(uploadFolder, runtime.log);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request, payload, done) => bodies.receive(request, payload, done));
  return bodies;
}

/** False where it can be: with a function, Fastify works out the address anew at every look. */
function trustedHops(count: number): false | ((address: string, hop: number) => boolean) {
  return count === 0 ? false : (_address, hop) => hop < count;
}

function addRoute(app: FastifyInstance, route: Route, options: RouteOptions): void {
  app.route({
    method: route.method,
    url: route.url,
    config: { route },
    bodyLimit: bodySizeBytesMax(route),
    // Before the body is read: a caller without the right never makes us parse anything.
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
  };
}

/**
 * Node keeps 2,000 headers and drops the rest without a word, and takes the first of two `Host`s
 * where a proxy in front may have taken the second.
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

/** Undefined for a failure of ours: the caller then learns nothing but the status. */
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
    options.runtime.log.error({ err: cause, requestId, op: route?.op }, "a request failed");
    // An empty body: nothing about the inside leaks, and the request id finds the log line.
    return reply.code(500).send();
  }
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
      op: request.routeOptions.config.route?.op ?? null,
      status: reply.statusCode,
      ms: Math.round((performance.now() - state.startedAt) * 100) / 100,
      tenantId: state.tenantId,
      actor: state.actor?.id,
      requestId: state.requestId,
      ip: request.ip,
    },
    "request",
  );
}
