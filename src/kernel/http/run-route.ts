import type { FastifyReply, FastifyRequest } from "fastify";
import { Call } from "../call.ts";
import { isTenantId, SYSTEM_SCOPE } from "../db/transaction.ts";
import { validationProblem } from "../errors.ts";
import { tenantNotFound } from "./admission.ts";
import { ANONYMOUS } from "./anonymous.ts";
import { bodyTooLarge, jsonSizeBytesMax } from "./body-size.ts";
import { formatEtag, matchesEtag, noneMatch } from "./etag.ts";
import { EventStream, isStream } from "./event-stream.ts";
import { answerOnce } from "./idempotency.ts";
import { parseListQuery } from "./list-query.ts";
import { isJsonMediaType, negotiateJson, parseMediaType } from "./media-type.ts";
import { problem } from "./problem.ts";
import { type Answer, JsonText, type Route, toAnswer } from "./route.ts";
import type { ServerOptions } from "./server.ts";
import type { StreamHost } from "./stream-host.ts";
import { parseStrictJson } from "./strict-json.ts";
import { fieldErrors, noErrors, validatorFor } from "./validation.ts";

export type RouteOptions = ServerOptions & { readonly streams: StreamHost };

/** Parse, call one use case, present: the whole life of a request after its admission. */
export async function runRoute(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RouteOptions,
): Promise<FastifyReply> {
  const input = readInput(route, request);
  const call = new Call(options.runtime, {
    tenantId: tenantOf(request),
    actor: request.state.actor ?? ANONYMOUS,
    requestId: request.state.requestId,
    op: route.op,
    ip: request.ip,
    requireMatch: (version) => requireMatch(request, version),
  });
  if (isStream(route)) return await openStream(route, request, reply, options, { call, input });

  const result =
    route.method === "POST" && request.headers["idempotency-key"] !== undefined
      ? await answerOnce(route, call, request.headers["idempotency-key"], input)
      : toAnswer(await route.handle(call, input));
  if (options.checkReplies) checkReply(route, result);
  return send(route, request, reply, result);
}

type Work = { readonly call: Call; readonly input: unknown };

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

/** `/api/%2A/…` names the machinery's own scope, which only routes without a tenant may enter. */
function tenantOf(request: FastifyRequest): string {
  const { tenantId } = request.params as { tenantId?: string };
  if (tenantId === undefined) return SYSTEM_SCOPE;
  if (!isTenantId(tenantId)) throw tenantNotFound({ tenantId });
  return tenantId;
}

function readInput(route: Route, request: FastifyRequest) {
  const errors: Record<string, readonly string[]> = noErrors();
  if (route.params !== undefined) Object.assign(errors, fieldErrors(route.params, request.params));
  const query = readQuery(route, request.query as Record<string, string>, errors);
  const list = readList(route, request.query as Record<string, string>, errors);
  const raw = readRaw(route, request);
  const body = raw === undefined ? readBody(route, request) : undefined;
  if (route.body !== undefined && raw === undefined) {
    Object.assign(errors, fieldErrors(route.body, body));
  }
  if (Object.keys(errors).length > 0) throw validationProblem(errors);
  const { params, url } = request;
  const { accept, "last-event-id": last } = request.headers;
  const lastEventId = typeof last === "string" ? last : undefined;
  return { params, query, body, raw, accept, lastEventId, list, url };
}

function readQuery(
  route: Route,
  query: Record<string, string>,
  errors: Record<string, readonly string[]>,
): unknown {
  if (route.query === undefined) return undefined;
  const known = route.list === undefined ? query : pickExtra(query, route.list.extra ?? []);
  const converted = validatorFor(route.query).Convert({ ...known });
  Object.assign(errors, fieldErrors(route.query, converted));
  return converted;
}

function pickExtra(
  query: Record<string, string>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(Object.entries(query).filter(([name]) => names.includes(name)));
}

function readList(
  route: Route,
  query: Record<string, string>,
  errors: Record<string, readonly string[]>,
): unknown {
  if (route.list === undefined) return undefined;
  const parsed = parseListQuery(query, route.list);
  if (parsed.ok) return parsed.list;
  Object.assign(errors, parsed.errors);
  return undefined;
}

/** The bytes themselves, where the route takes this media type so. */
function readRaw(route: Route, request: FastifyRequest): Buffer | undefined {
  if (route.rawBody === undefined || !Buffer.isBuffer(request.body)) return undefined;
  const sent = parseMediaType(request.headers["content-type"] ?? "");
  if (sent === undefined || `${sent.type}/${sent.subtype}` !== route.rawBody.type) return undefined;
  return request.body;
}

function readBody(route: Route, request: FastifyRequest): unknown {
  if (route.body === undefined) return undefined;
  if (!Buffer.isBuffer(request.body) || request.body.length === 0) {
    if (route.bodyIsOptional) return {};
    throw problem("malformed", "This operation needs a JSON body.");
  }
  const kind = isJsonMediaType(request.headers["content-type"]);
  if (kind === "unsupported-charset") throw problem("unsupportedType", "JSON is sent as UTF-8.");
  if (kind === "unsupported-type") {
    throw problem("unsupportedType", "Send application/json, text/json or application/*+json.");
  }
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    // Unpacking is how a small body becomes a huge one.
    const headers = { "accept-encoding": "identity" };
    throw problem("unsupportedType", "Send the body without a Content-Encoding.", { headers });
  }
  if (request.body.length > jsonSizeBytesMax(route)) throw bodyTooLarge();
  const parsed = parseStrictJson(request.body);
  if (parsed.ok) return parsed.value;
  const { problem: detail, path } = parsed;
  throw problem(
    "malformed",
    detail,
    path === undefined ? {} : { members: { errors: { [path]: [detail] } } },
  );
}

function requireMatch(request: FastifyRequest, version: number | string | undefined): void {
  const etag = version === undefined ? undefined : formatEtag(version);
  if (matchesEtag(request.headers["if-match"], etag)) return;
  throw problem("preconditionFailed", "The resource has changed since the version in If-Match.");
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
): FastifyReply {
  const { status, headers, version } = result.options;
  setCommonHeaders(request, reply);
  reply.header("cache-control", route.noStore === true ? "no-store" : "private, no-cache");
  if (headers !== undefined) reply.headers(headers);
  if (version !== undefined) {
    const etag = formatEtag(version);
    reply.header("etag", etag);
    const known = request.headers["if-none-match"];
    if (known !== undefined && route.method === "GET" && !noneMatch(known, etag)) {
      return reply.code(304).send();
    }
  }
  if (result.body === undefined) return reply.code(status ?? route.status ?? 204).send();
  reply.code(status ?? route.status ?? 200);
  if (Buffer.isBuffer(result.body)) return reply.send(result.body);
  reply.header("content-type", `${negotiateJson(request.headers.accept)}; charset=utf-8`);
  const { body } = result;
  return reply.send(body instanceof JsonText ? body.text : JSON.stringify(body));
}

/** In tests an answer outside its documentation is a failure, not a surprise for a customer. */
function checkReply(route: Route, { body, options }: Answer): void {
  const status = options.status ?? route.status ?? (body === undefined ? 204 : 200);
  const known = [
    route.status ?? (route.reply === undefined ? 204 : 200),
    ...(route.otherStatuses ?? []),
  ];
  if (!known.includes(status))
    throw new Error(`${route.op} answered ${status}, which is undocumented.`);
  if (route.reply === undefined || body === undefined || Buffer.isBuffer(body)) return;
  const errors = fieldErrors(route.reply, JSON.parse(JSON.stringify(body)));
  if (errors !== undefined) {
    throw new Error(`${route.op} answered what its schema forbids: ${JSON.stringify(errors)}`);
  }
}
