import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Call } from "#kernel/call.ts";
import type { TenantContext } from "#kernel/context.ts";
import { ProblemError } from "#kernel/errors.ts";
import { ANONYMOUS } from "#kernel/http/anonymous.ts";
import { parseStrictJson } from "#kernel/http/json/strict-json.ts";
import { problem } from "#kernel/http/problem.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { isTenantNotFound } from "#kernel/tenant.errors.ts";
import { AddressCounter } from "#src/access/public.ts";
import { PKPASS_TYPE } from "../bundle/bundle.service.ts";
import { enrolHolder } from "../enrolment/enrolment.service.ts";
import {
  BODY_SIZE_BYTES_MAX,
  ENROLMENT_SIZE_BYTES_MAX,
  isDeviceId,
  isPassTypeIdentifier,
  isSerialNumber,
  LOG_SIZE_BYTES_MAX,
  MISSES_PER_MINUTE_MAX,
  readAuthorization,
  readPushToken,
  readTag,
} from "./device.limits.ts";
import { placeOf } from "./device.place.ts";
import { listUpdatablePasses, registerDevice, unregisterDevice } from "./device.service.ts";
import { secondsToNextHour, takeAnswer } from "./device-change.service.ts";
import { logDeviceMessages } from "./device-log.service.ts";
import {
  type Claim,
  fetchLatestPass,
  findHeldPass,
  findNamedPass,
  findPassOfToken,
  isKnownTenant,
} from "./device-pass.service.ts";

const BASE = "/.well-known/wallet/:tenantId/v1";
const REGISTRATIONS = `${BASE}/devices/:deviceId/registrations/:passTypeIdentifier`;
const PASS = `${BASE}/passes/:passTypeIdentifier/:passId`;

type Params = {
  readonly tenantId: string;
  readonly deviceId: string;
  readonly passTypeIdentifier: string;
  readonly passId: string;
};
type Visit = FastifyRequest<{ Params: Params; Querystring: Record<string, unknown> }>;
type Handler = (context: TenantContext, visit: Visit, reply: FastifyReply) => Promise<FastifyReply>;

/**
 * The web service that Apple Wallet calls, as Apple's documentation describes it. It is a protocol of
 * its own and no part of the API: devices have no API key, and understand statuses only.
 */
export function plugAppleService(app: FastifyInstance, runtime: Runtime): void {
  const door =
    (handle: Handler, otherwise: (reply: FastifyReply) => FastifyReply = refuse) =>
    async (visit: Visit, reply: FastifyReply): Promise<FastifyReply> => {
      const { op = "none" } = visit.routeOptions.config;
      const { tenantId } = visit.params;
      reply.headers({ "cache-control": "no-store", "x-request-id": visit.state.requestId });
      if (!(await isKnownTenant(runtime, tenantId))) return otherwise(reply);
      visit.state.tenantId = tenantId;
      const { requestId } = visit.state;
      const origin = { tenantId, actor: ANONYMOUS, requestId, op, ip: visit.ip };
      return await handle(new Call(runtime, origin), visit, reply);
    };
  const registration = `${REGISTRATIONS}/:passId`;
  app.post(registration, of("register"), door(register));
  app.delete(registration, of("unregister"), door(unregister));
  app.get(REGISTRATIONS, of("list-updatable"), door(listUpdatable, sendNothing));
  app.get(PASS, of("fetch"), door(fetchLatest));
  app.post(`${PASS}/personalize`, of("personalize", ENROLMENT_SIZE_BYTES_MAX), door(personalize));
  const log = { ...of("log", LOG_SIZE_BYTES_MAX), errorHandler: dropLargeLog };
  app.post(`${BASE}/log`, log, door(takeLog, sendTaken));
}

function of(verb: string, bodyLimit = BODY_SIZE_BYTES_MAX) {
  return { bodyLimit, config: { op: `apple-device.${verb}` } };
}

/** The same answer for everything that a device may not have, or that does not exist. */
function refuse(reply: FastifyReply): FastifyReply {
  return reply.code(401).send();
}

function sendNothing(reply: FastifyReply): FastifyReply {
  return reply.code(204).send();
}

/** Devices understand no other answer to what they log. */
function sendTaken(reply: FastifyReply): FastifyReply {
  return reply.code(200).send();
}

function dropLargeLog(error: unknown, _visit: Visit, reply: FastifyReply): FastifyReply {
  if (error instanceof ProblemError && error.status === 413) return sendTaken(reply);
  throw error;
}

/** Names in a shape that none of ours has are not looked up. */
function claimOf({ params: { passTypeIdentifier, passId }, headers }: Visit): Claim | undefined {
  if (!isPassTypeIdentifier(passTypeIdentifier) || !isSerialNumber(passId)) return undefined;
  return { passTypeIdentifier, passId, token: readAuthorization(headers.authorization) };
}

async function register(
  context: TenantContext,
  visit: Visit,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const claim = claimOf(visit);
  const pass = claim && (await findHeldPass(context, claim));
  if (pass === undefined) return refuse(reply);
  const device = deviceOf(visit);
  const pushToken = readPushToken(readJson(visit));
  if (pushToken === undefined) {
    throw problem("malformed", "'pushToken' must be the token of the device: 1 to 512 characters.");
  }
  const outcome = await registerDevice(context, pass, device, pushToken);
  if (outcome === "pass-gone") return refuse(reply);
  if (outcome === "too-many") {
    throw problem("malformed", "The pass, or the device, has too many registrations.");
  }
  if (outcome === "too-often") {
    throw tooOften("Devices register for this pass too often.", secondsToNextHour(context));
  }
  return reply.code(outcome === "created" ? 201 : 200).send();
}

async function unregister(
  context: TenantContext,
  visit: Visit,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const claim = claimOf(visit);
  const pass = claim && (await findPassOfToken(context, claim));
  if (pass === undefined) return refuse(reply);
  await unregisterDevice(context, pass.id, deviceOf(visit));
  return reply.code(200).send();
}

async function listUpdatable(
  context: TenantContext,
  visit: Visit,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { deviceId, passTypeIdentifier } = visit.params;
  if (!isDeviceId(deviceId) || !isPassTypeIdentifier(passTypeIdentifier)) return sendNothing(reply);
  const since = readTag(visit.query.passesUpdatedSince);
  const device = { deviceId, passTypeIdentifier };
  const found = await listUpdatablePasses(context, device, since, placeOfVisit(visit));
  if (found === undefined) return sendNothing(reply);
  // `lastUpdated` is a text: with a number, devices ignore the whole list.
  return reply.header("content-type", "application/json").send(JSON.stringify(found));
}

async function fetchLatest(
  context: TenantContext,
  visit: Visit,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const claim = claimOf(visit);
  const condition = {
    since: readDate(visit.headers["if-modified-since"]),
    from: placeOfVisit(visit),
  };
  const latest = claim && (await fetchLatestPass(context, claim, condition));
  if (latest === undefined) return refuse(reply);
  // HEAD gives no content, so the device still has to fetch it.
  if (visit.method === "GET") onceSent(context, reply, latest.noteArrival);
  reply
    // Node reuses the Date header that it makes for up to a second, so Last-Modified could be later than that.
    .header("date", latest.now.toUTCString())
    .header("last-modified", latest.lastModified.toUTCString())
    .header("cache-control", "no-cache");
  if (latest.bytes === undefined) return reply.code(304).send();
  return reply.header("content-type", PKPASS_TYPE).send(latest.bytes);
}

/**
 * A device that loses its connection has nothing, so the pass counts as fetched after its last byte
 * was sent. If noting that fails, the device is pushed once more.
 */
function onceSent(
  { log, tenantId }: TenantContext,
  reply: FastifyReply,
  note: () => Promise<void>,
) {
  reply.raw.once("finish", () => {
    note().catch((err: unknown) => {
      if (!isTenantNotFound(err)) log.error({ err, tenantId }, "a fetched pass was not noted");
    });
  });
}

function tooOften(detail: string, seconds: number) {
  return problem("rateLimited", detail, { headers: { "retry-after": String(seconds) } });
}

const missesIn = perRuntime(
  () => new AddressCounter(MISSES_PER_MINUTE_MAX, () => performance.now()),
);

/**
 * Devices prove nothing when they send what their owner answered: the protocol knows no token here.
 * One that is sent must be right. Whoever tries names of passes is slowed down by their address; a
 * right name is not, because the guests of a whole evening may come by one address.
 */
async function personalize(
  context: TenantContext,
  visit: Visit,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const claim = claimOf(visit);
  const find = visit.headers.authorization === undefined ? findNamedPass : findHeldPass;
  const pass = claim && (await find(context, claim));
  if (pass === undefined) {
    const misses = missesIn(context.runtime);
    if (misses.isExhausted(visit.ip)) {
      throw tooOften("Too many refused answers from this address.", misses.secondsLeft(visit.ip));
    }
    misses.record(visit.ip);
    return refuse(reply);
  }
  if (!takeAnswer(context, pass.id)) {
    throw tooOften(
      "The questions of this pass are answered too often.",
      secondsToNextHour(context),
    );
  }
  const signature = await enrolHolder(context, pass, readJson(visit));
  if (signature === undefined) return refuse(reply);
  return reply.header("content-type", "application/octet-stream").send(signature);
}

async function takeLog(
  context: TenantContext,
  visit: Visit,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // What cannot be read is dropped.
  const parsed = Buffer.isBuffer(visit.body) ? parseStrictJson(visit.body) : undefined;
  if (parsed?.ok) logDeviceMessages(context, parsed.value);
  return sendTaken(reply);
}

function deviceOf({ params: { deviceId, passTypeIdentifier } }: Visit) {
  if (!isDeviceId(deviceId)) {
    throw problem("malformed", "The id of the device must be 1 to 128 letters, digits or '.:_-'.");
  }
  return { deviceId, passTypeIdentifier };
}

function readJson({ body }: Visit): unknown {
  const parsed = Buffer.isBuffer(body) ? parseStrictJson(body) : undefined;
  if (parsed?.ok) return parsed.value;
  throw problem("malformed", parsed?.problem ?? "This operation needs a body: JSON.");
}

/** As we write it in `Last-Modified`; anything else is ignored, as HTTP asks for. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

function readDate(header: string | undefined): Date | undefined {
  const at = new Date(HTTP_DATE.test(header ?? "") ? (header ?? "") : Number.NaN);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

const placeOfVisit = (visit: Visit): string => placeOf(visit.ip, visit.headers["user-agent"]);
