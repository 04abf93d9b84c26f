import { isIP } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";
import { validationProblem } from "#kernel/errors.ts";
import { isJsonMediaType } from "#kernel/http/media-type.ts";
import { problem } from "#kernel/http/problem.ts";
import { fieldErrors } from "#kernel/http/validation.ts";
import { PhoneRefusal } from "../phones/iphone.service.ts";
import { OutOfReach } from "../reach.client.ts";
import { foreignPage, phoneRefused } from "./simulator.errors.ts";

/** The JSON body of a request, checked. */
export function bodyOf<Schema extends TSchema>(
  request: FastifyRequest,
  schema: Schema,
): Static<Schema> {
  const { body, headers } = request;
  if (!Buffer.isBuffer(body) || body.length === 0)
    throw problem("malformed", "A JSON body is needed.");
  if (isJsonMediaType(headers["content-type"]) !== "json") {
    throw problem("unsupportedType", "Send application/json.");
  }
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    throw problem("malformed", "The body is not JSON.");
  }
  const errors = fieldErrors(schema, value);
  if (errors !== undefined) throw validationProblem(errors);
  return value as Static<Schema>;
}

/**
 * A page of another site could otherwise use the simulator of whoever looks at it, as there is no
 * key that it lacks. The host is looked at, too: a site can let its own name lead to this machine.
 */
export function requireOwnPage({ headers }: FastifyRequest, baseUrl: string): void {
  if (!isOwnHost(headers.host, baseUrl)) throw foreignPage();
  const site = headers["sec-fetch-site"];
  if (site === "cross-site" || site === "same-site") throw foreignPage();
  const { origin, host } = headers;
  if (origin !== undefined && !origin.endsWith(`//${host}`)) throw foreignPage();
}

/** The name in the public address, or one that nobody else can give: of this machine, or a number. */
function isOwnHost(host: string | undefined, baseUrl: string): boolean {
  const { hostname } = URL.parse(`http://${host}`) ?? { hostname: "" };
  if (hostname === new URL(baseUrl).hostname || hostname === "localhost") return true;
  return isIP(hostname.replaceAll(/[[\]]/g, "")) !== 0;
}

/** Makes what a phone says to its owner a problem that the caller can read. */
export async function asProblem<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PhoneRefusal || error instanceof OutOfReach) {
      throw phoneRefused({ reason: error.message });
    }
    throw error;
  }
}

export function sendJson(reply: FastifyReply, status: number, value: unknown): FastifyReply {
  return reply
    .code(status)
    .headers({
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": reply.request.state.requestId,
    })
    .send(JSON.stringify(value));
}
