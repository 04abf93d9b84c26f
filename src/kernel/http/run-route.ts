import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Call } from "../call.ts";
import { isTenantId, SYSTEM_SCOPE } from "../db/scope.ts";
import { validationProblem } from "../errors.ts";
import type { Places } from "../places.ts";
import { tenantNotFound } from "../tenant.errors.ts";
import { requireSameTenant } from "./admission.ts";
import { ANONYMOUS } from "./anonymous.ts";
import { Asset } from "./asset.ts";
import { findMatch, formatEtag } from "./etag.ts";
import { EventStream, isStream } from "./event-stream.ts";
import { answerOnce, type RunningKeys, requireIdempotencyKey } from "./idempotency/idempotency.ts";
import { writeJson } from "./json/write-json.ts";
import { negotiateJson } from "./media-type.ts";
import { sendPacked, varyBy } from "./packing.ts";
import { Precondition } from "./precondition.ts";
import { readBody, readRaw, readUpload } from "./read-body.ts";
import { readQuery, type SentQuery } from "./read-query.ts";
import { type Answer, type Received, type Route, takesIdempotencyKey, toAnswer } from "./route.ts";
import type { ServerOptions } from "./server-options.ts";
import type { StreamHost } from "./stream-host.ts";
import type { Bodies } from "./upload/bodies.ts";
import { fieldErrors, noErrors } from "./validation.ts";

export type RouteOptions = ServerOptions & {
  readonly streams: StreamHost;
  readonly running: RunningKeys;
  readonly bodies: Bodies;
  readonly uploads: Places;
};

/** Handles an admitted request: parses it, calls the route's handler and sends the answer. */
export async function runRoute(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RouteOptions,
): Promise<FastifyReply> {
  const input = await readInput(route, request);
  if (route.method !== "GET") await requireSameTenant(request, options.ports);
  const call = new Call(options.runtime, {
    tenantId: tenantOf(request),
    tenantSince: request.state.tenantSince,
    actor: request.state.actor ?? ANONYMOUS,
    requestId: request.state.requestId,
    op: route.op,
    ip: request.ip,
    precondition: preconditionOf(route, request),
  });
  if (isStream(route)) return await openStream(route, request, reply, options, { call, input });

  const result =
    route.upload === undefined
      ? await answerTo(route, request, options, { call, input })
      : await takeUpload(route, route.upload, request, options, { call, input });
  if (options.checkReplies) checkReply(route, result);
  return await send(route, request, reply, result);
}

function preconditionOf({ method }: Route, { headers }: FastifyRequest): Precondition {
  const noneMatch = method === "GET" ? undefined : headers["if-none-match"];
  return new Precondition(headers["if-match"], noneMatch);
}

type Work = { readonly call: Call; readonly input: Input };
type Input = Awaited<ReturnType<typeof readInput>>;

async function answerTo(
  route: Route,
  { headers }: FastifyRequest,
  { running }: RouteOptions,
  { call, input }: Work,
): Promise<Answer> {
  const key = headers["idempotency-key"];
  if (!takesIdempotencyKey(route) || key === undefined) {
    return toAnswer(await route.handle(call, input));
  }
  const idempotencyKey = requireIdempotencyKey(key);
  if (route.keepsKeys === true) {
    return toAnswer(await route.handle(call, { ...input, idempotencyKey }));
  }
  return await answerOnce(route, call, idempotencyKey, input, running);
}

/** Takes the body first: only then it is known whether it is the body that a key was used for. */
async function takeUpload(
  route: Route,
  upload: NonNullable<Route["upload"]>,
  request: FastifyRequest,
  options: RouteOptions,
  { call, input }: Work,
): Promise<Answer> {
  const leave = options.uploads.enter(call.tenantId);
  try {
    const incoming = readUpload(route, request);
    const received = await incoming.receive((chunks) => upload.receive(call, input, chunks));
    try {
      const whole = { ...input, body: received.fingerprint, received };
      return await answerTo(route, request, options, { call, input: whole });
    } finally {
      await abandon(received, call);
    }
  } finally {
    leave();
  }
}

/** The caller should get the answer, or the first failure, whatever happens here. */
async function abandon(received: Received, { op, log }: Call): Promise<void> {
  try {
    await received.abandon();
  } catch (error) {
    log.warn({ err: error, op }, "what is left of an upload stays until it is purged");
  }
}

async function openStream(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  { streams, ports }: RouteOptions,
  { call, input }: Work,
): Promise<FastifyReply> {
  const leave = streams.enter(call.tenantId);
  try {
    const stream = await route.handle(call, input);
    if (!(stream instanceof EventStream)) throw new Error(`${route.op} answered without a stream.`);
    setCommonHeaders(request, reply);
    void streams.run({ route, request, reply, stream, ports }).finally(leave);
  } catch (error) {
    leave();
    throw error;
  }
  return reply;
}

/** `/api/%2A/…` would name the system scope `*`, which only routes without a tenant may use. */
function tenantOf(request: FastifyRequest): string {
  const { tenantId } = request.params as { tenantId?: string };
  if (tenantId === undefined) return SYSTEM_SCOPE;
  if (!isTenantId(tenantId)) throw tenantNotFound({ tenantId });
  return tenantId;
}

async function readInput(route: Route, request: FastifyRequest) {
  const errors = noErrors();
  if (route.params !== undefined) Object.assign(errors, fieldErrors(route.params, request.params));
  const { query, list } = readQuery(route, request.query as SentQuery, request.url, errors);
  const raw = readRaw(route, request);
  const isRead = raw !== undefined || route.upload !== undefined;
  const sent = isRead ? undefined : readBody(route, request);
  const body = sent instanceof Promise ? await sent : sent;
  if (route.body !== undefined && !isRead) {
    Object.assign(errors, fieldErrors(route.body, body));
  }
  if (Object.keys(errors).length > 0) throw validationProblem(errors);
  const { params, url, headers } = request;
  const { accept, "last-event-id": last } = headers;
  const lastEventId = typeof last === "string" ? last : undefined;
  return { params, query, body, raw, headers, accept, lastEventId, list, url };
}

function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header("x-request-id", request.state.requestId);
  reply.header("x-content-type-options", "nosniff");
}

function send(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  result: Answer,
): FastifyReply | Promise<FastifyReply> {
  const { body } = result;
  const { status, headers, version, representation } = result.options;
  setCommonHeaders(request, reply);
  reply.header("cache-control", route.noStore === true ? "no-store" : "private, no-cache");
  if (headers !== undefined) reply.headers(headers);
  const isJson = isSentAsJson(body, reply);
  // Before a 304 is sent, which has to say this as well.
  if (isJson || offersBytes(route)) varyBy(reply, "accept");
  if (version !== undefined) {
    const etag = formatEtag(version, representation);
    reply.header("etag", etag);
    const sent = request.headers["if-none-match"];
    const mayBeKnown = route.method === "GET" && route.answersNotModified !== false;
    const known = mayBeKnown ? findMatch(sent, etag) : undefined;
    if (known !== undefined) {
      if (route.noStore !== true) varyBy(reply, "accept-encoding");
      return reply.header("etag", known).code(304).send();
    }
  }
  if (body === undefined) return reply.code(status ?? route.status ?? 204).send();
  reply.code(status ?? route.status ?? 200);
  if (Buffer.isBuffer(body)) return sendPacked(route, request, reply, body);
  if (body instanceof Asset) {
    return sendPacked(route, request, reply.header("content-type", body.type), body);
  }
  if (!isJson) return reply.send(body);
  reply.header("content-type", `${negotiateJson(request.headers.accept)}; charset=utf-8`);
  if (body instanceof Readable) return reply.send(body);
  const written = writeJson(body);
  if (typeof written === "string") return sendPacked(route, request, reply, written);
  return written.then((bytes) => sendPacked(route, request, reply, bytes));
}

/** Bytes and archives bring their own type; the type of JSON is the one that Accept prefers. */
function isSentAsJson(body: unknown, reply: FastifyReply): boolean {
  if (body === undefined || Buffer.isBuffer(body) || body instanceof Asset) return false;
  return !(body instanceof Readable && reply.hasHeader("content-type"));
}

/** Whether Accept chooses between JSON and bytes, such as those of an archive or a table. */
function offersBytes({ reply, rawReply }: Route): boolean {
  return reply !== undefined && rawReply !== undefined;
}

/** In tests, an answer that differs from its documentation is an error. */
function checkReply(route: Route, { body, options }: Answer): void {
  const status = options.status ?? route.status ?? (body === undefined ? 204 : 200);
  const known = [
    route.status ?? (route.reply === undefined ? 204 : 200),
    ...(route.otherStatuses ?? []),
  ];
  if (!known.includes(status))
    throw new Error(`${route.op} answered ${status}, which is undocumented.`);
  if (status === 202 && options.headers?.location === undefined)
    throw new Error(`${route.op} answered 202 without saying where to look.`);
  if (route.reply === undefined || body === undefined) return;
  if (Buffer.isBuffer(body) || body instanceof Asset || body instanceof Readable) return;
  const errors = fieldErrors(route.reply, JSON.parse(JSON.stringify(body)));
  if (errors !== undefined) {
    throw new Error(`${route.op} answered what its schema forbids: ${JSON.stringify(errors)}`);
  }
}
