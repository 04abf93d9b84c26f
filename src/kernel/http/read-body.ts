import type { FastifyRequest } from "fastify";
import type { ProblemError } from "../errors.ts";
import { bodyTooLarge, jsonSizeBytesMax } from "./body-size.ts";
import { decimalMembersOf } from "./json/decimal-members.ts";
import { readJson } from "./json/json-thread.ts";
import type { StrictJsonResult } from "./json/strict-json.ts";
import { isJsonMediaType, JSON_BODY_TYPES, parseMediaType } from "./media-type.ts";
import { problem } from "./problem.ts";
import type { Route } from "./route.ts";
import { validatorFor } from "./validator.ts";

/** Whether a request must have a body: it need not if an empty object fits the schema. */
export function needsBody({ body, bodyNeeded }: Route): boolean {
  return body !== undefined && (bodyNeeded === true || !validatorFor(body).Check({}));
}

/** Whether the route accepts the media type of this request as raw bytes. */
export function isRawType({ rawBody }: Route, request: FastifyRequest): boolean {
  if (rawBody === undefined) return false;
  const sent = parseMediaType(request.headers["content-type"] ?? "");
  return sent !== undefined && `${sent.type}/${sent.subtype}` === rawBody.type;
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
  const kind = isJsonMediaType(request.headers["content-type"]);
  if (kind === "unsupported-charset") throw problem("unsupportedType", "JSON is sent as UTF-8.");
  if (kind === "unsupported-type") throw unsupportedType(route);
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    // A small compressed body can become a huge one.
    const headers = { "accept-encoding": "identity" };
    throw problem("unsupportedType", "Send the body without a Content-Encoding.", { headers });
  }
  if (request.body.length > jsonSizeBytesMax(route)) throw bodyTooLarge();
  const { tenantId = "" } = request.params as { tenantId?: string };
  const reading = readJson(request.body, tenantId, decimalMembersOf(route.body));
  return reading instanceof Promise ? reading.then(acceptedValue) : acceptedValue(reading);
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
  const raw = route?.rawBody === undefined ? [] : [route.rawBody.type];
  const types = [...JSON_BODY_TYPES, ...raw];
  const last = types.pop();
  return `${types.join(", ")} or ${last}`;
}
