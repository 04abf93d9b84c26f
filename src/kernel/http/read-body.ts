import type { FastifyRequest } from "fastify";
import type { ProblemError } from "../errors.ts";
import { bodyTooLarge, jsonSizeBytesMax } from "./body-size.ts";
import { decimalMembersOf } from "./json/decimal-members.ts";
import { readJson } from "./json/json-thread.ts";
import type { StrictJsonResult } from "./json/strict-json.ts";
import { isJsonMediaType, JSON_BODY_TYPES, parseMediaType } from "./media-type.ts";
import { problem } from "./problem.ts";
import { ANY_TYPE, type Route } from "./route.ts";
import { IncomingUpload } from "./upload/incoming-upload.ts";
import { validatorFor } from "./validator.ts";

/** Whether a request must have a body: it need not if an empty object fits the schema. */
export function needsBody({ body, bodyNeeded }: Route): boolean {
  return body !== undefined && (bodyNeeded === true || !validatorFor(body).Check({}));
}

/** Whether the route accepts the media type of this request as raw bytes. */
export function isRawType(route: Route, request: FastifyRequest): boolean {
  const types = rawTypes(route);
  if (types.length === 0) return false;
  if (types.includes(ANY_TYPE)) return true;
  const sent = parseMediaType(request.headers["content-type"] ?? "");
  return sent !== undefined && types.includes(`${sent.type}/${sent.subtype}`);
}

/** The media types that the route takes besides those of JSON. */
export function rawTypes({ rawBody, upload }: Route): readonly string[] {
  return upload?.types ?? (rawBody === undefined ? [] : [rawBody.type]);
}

/** The body that is still arriving, for routes that take it so. */
export function readUpload(route: Route, request: FastifyRequest): IncomingUpload {
  if (!(request.body instanceof IncomingUpload)) {
    throw problem("malformed", `This operation needs a body: ${bodyTypes(route)}.`);
  }
  if (!isRawType(route, request)) requireJson(route, request);
  requireNoEncoding(request);
  return request.body;
}

/** The raw bytes, if the route accepts this media type as bytes. */
export function readRaw(route: Route, request: FastifyRequest): Buffer | undefined {
  if (!Buffer.isBuffer(request.body) || !isRawType(route, request)) return undefined;
  return request.body;
}

/** Returns the value, or a promise if the body is read in a thread. */
export function readBody(route: Route, request: FastifyRequest): unknown {
  if (route.body === undefined) return undefined;
  if (!Buffer.isBuffer(request.body) || request.body.length === 0) {
    if (!needsBody(route)) return {};
    throw problem("malformed", `This operation needs a body: ${bodyTypes(route)}.`);
  }
  requireJson(route, request);
  requireNoEncoding(request);
  if (request.body.length > jsonSizeBytesMax(route)) throw bodyTooLarge();
  const { tenantId = "" } = request.params as { tenantId?: string };
  const reading = readJson(request.body, tenantId, decimalMembersOf(route.body));
  return reading instanceof Promise ? reading.then(acceptedValue) : acceptedValue(reading);
}

function requireJson(route: Route, request: FastifyRequest): void {
  const kind = isJsonMediaType(request.headers["content-type"]);
  if (kind === "unsupported-charset") throw problem("unsupportedType", "JSON is sent as UTF-8.");
  if (kind === "unsupported-type") throw unsupportedType(route);
}

function requireNoEncoding(request: FastifyRequest): void {
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() === "identity") return;
  // A small compressed body can become a huge one.
  const headers = { "accept-encoding": "identity" };
  throw problem("unsupportedType", "Send the body without a Content-Encoding.", { headers });
}

function acceptedValue(parsed: StrictJsonResult): unknown {
  if (parsed.ok) return parsed.value;
  const { problem: detail, path } = parsed;
  throw problem(
    "malformed",
    detail,
    path === undefined ? {} : { members: { errors: { [path]: [detail] } } },
  );
}

export function unsupportedType(route: Route | undefined): ProblemError {
  return problem("unsupportedType", `Send ${bodyTypes(route)}.`);
}

/** Lists the media types that the route accepts. */
function bodyTypes(route: Route | undefined): string {
  const types = [...JSON_BODY_TYPES, ...(route === undefined ? [] : rawTypes(route))];
  const last = types.pop();
  return `${types.join(", ")} or ${last}`;
}
