import type { TenantContext } from "#kernel/context.ts";
import { EgressError } from "#kernel/egress/egress-error.ts";
import { isObject } from "#kernel/json.ts";
import type { Outbound, OutboundCommand, SendingProblem, Sent } from "../kit/outbound.ts";
import { blamedSetting, isSuccess, messagesIn, quote } from "./cdp.answer.ts";
import { askCdp, type CdpAnswer, type CdpConnection, type CdpRequest } from "./cdp.client.ts";
import { commandOf, TOLD_EVENTS } from "./cdp.events.ts";
import { customerIdsOf, identifiersOf } from "./cdp.identity.ts";
import { checkCdp } from "./cdp-check.service.ts";
import { welcomePasses } from "./cdp-welcome.service.ts";

/** More are refused as a whole. */
const COMMANDS_MAX = 50;
/** Statuses that may speak of a single command. Others speak of the request, or of the key. */
const ABOUT_COMMANDS: ReadonlySet<number> = new Set([400, 413, 422]);

export const cdpOutbound: Outbound<CdpConnection> = {
  patterns: TOLD_EVENTS,
  batchMax: COMMANDS_MAX,
  command: commandOf,
  send: sendCommands,
  personOf(identifiers) {
    const ids = customerIdsOf(identifiers);
    return ids && identifiersOf(ids);
  },
  erase: anonymize,
  welcome: welcomePasses,
};

async function sendCommands(
  context: TenantContext,
  connection: CdpConnection,
  commands: readonly OutboundCommand[],
  signal: AbortSignal,
): Promise<Sent> {
  const body = { commands: commands.map(({ command }) => command) };
  const request = { method: "POST", api: "track", path: "batch", body } as const;
  const answer = await askOrExplain(context, connection, request, signal);
  if ("problem" in answer) return answer;
  if (isSuccess(answer)) return readResults(connection, commands, answer);
  if (!isAboutCommands(answer)) return problemOf(answer);
  // Is it a command, or the project? If it is the project, no event is at fault.
  const errors = await checkCdp(context, connection, signal);
  if (errors !== undefined) return problemOf(answer);
  const [only, ...others] = commands;
  if (only === undefined || others.length > 0) {
    return await sendOneByOne(context, connection, commands, signal);
  }
  return { refused: new Map([[only.eventId, reasonOf(connection, only, answer.json)]]) };
}

/** A refusal with status 200 that blames no setting may speak of a command as well. */
function isAboutCommands(answer: CdpAnswer): boolean {
  const { status, json } = answer;
  if (ABOUT_COMMANDS.has(status)) return true;
  const isRefusal = status === 200 && isObject(json) && json.success === false;
  return isRefusal && blamedSetting(answer) === undefined;
}

/** One bad command makes the platform refuse a whole batch; alone, only that one is refused. */
async function sendOneByOne(
  context: TenantContext,
  connection: CdpConnection,
  commands: readonly OutboundCommand[],
  signal: AbortSignal,
): Promise<Sent> {
  const refused = new Map<string, string>();
  for (const command of commands) {
    const sent = await sendCommands(context, connection, [command], signal);
    if ("problem" in sent) return sent;
    for (const [eventId, reason] of sent.refused) refused.set(eventId, reason);
  }
  return { refused };
}

/** The answer has a result for each command, in the same order. */
function readResults(
  connection: CdpConnection,
  commands: readonly OutboundCommand[],
  { json }: CdpAnswer,
): Sent {
  const results = isObject(json) ? json.results : undefined;
  if (!Array.isArray(results) || results.length !== commands.length) {
    return { problem: "Bloomreach gave an answer that cannot be read." };
  }
  const refused = new Map<string, string>();
  for (const [at, command] of commands.entries()) {
    const result: unknown = results[at];
    if (isObject(result) && result.success === true) continue;
    refused.set(command.eventId, reasonOf(connection, command, result));
  }
  return { refused };
}

/** Without the secret and the person, in case the platform repeats them. */
function reasonOf(
  { settings, secrets }: CdpConnection,
  { command }: OutboundCommand,
  json: unknown,
): string {
  const data = isObject(command) && isObject(command.data) ? command.data : {};
  const ids = isObject(data.customer_ids) ? Object.values(data.customer_ids).map(String) : [];
  const basic = secrets.apiKeySecret.map((secret) =>
    Buffer.from(`${settings.apiKeyId}:${secret}`).toString("base64"),
  );
  const hidden = [...secrets.apiKeySecret, ...basic, settings.projectToken, ...ids];
  return quote(messagesIn(json), hidden) || "no reason was given";
}

async function askOrExplain(
  context: TenantContext,
  connection: CdpConnection,
  request: CdpRequest,
  signal: AbortSignal,
): Promise<CdpAnswer | SendingProblem> {
  try {
    return await askCdp(context, connection, request, signal);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return { problem: `Bloomreach cannot be reached: ${error.message}` };
  }
}

const BLAMED = {
  projectToken: "Bloomreach does not know the project any more.",
  apiKeyId: "Bloomreach refuses the API key, or it lacks a permission.",
  apiKeySecret: "Bloomreach refuses the secret of the API key.",
} as const;

function problemOf(answer: CdpAnswer): SendingProblem {
  const { status, retryAfter } = answer;
  if (status === 429) {
    return { problem: "Bloomreach takes no more requests at the moment.", retryAfter };
  }
  const blamed = blamedSetting(answer);
  if (blamed !== undefined) return { problem: BLAMED[blamed], retryAfter };
  return { problem: `Bloomreach answered with status ${status}.`, retryAfter };
}

async function anonymize(
  context: TenantContext,
  connection: CdpConnection,
  person: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<SendingProblem | undefined> {
  const body = { customer_ids: customerIdsOf(person) };
  const request = { method: "POST", api: "data", path: "customers/anonymize", body } as const;
  const answer = await askOrExplain(context, connection, request, signal);
  if ("problem" in answer) return answer;
  const isUnknown = /customer (does not exist|not found)/i.test(messagesIn(answer.json));
  return isSuccess(answer) || isUnknown ? undefined : problemOf(answer);
}
