import type { TenantContext } from "#kernel/context.ts";
import { EgressError } from "#kernel/egress/egress-error.ts";
import { VendorProblem } from "../kit/connector.ts";
import type { Echo, Outbound, OutboundCommand, SendingProblem, Sent } from "../kit/outbound.ts";
import { listAt, textAt } from "../kit/values.ts";
import { accountOf, ownId } from "./pretix.account.ts";
import { askPretix, type PretixConnection, problemOf } from "./pretix.client.ts";
import { type RedeemCommand, type Redeemed, redeemCommand, redeemedBy } from "./pretix.redeem.ts";
import { readOrder } from "./pretix-plan.service.ts";

/** Each takes two requests. */
const SCANS_MAX = 5;

/** Whoever is let in here is checked in at pretix, if the settings name a list for it. */
export const pretixOutbound: Outbound<PretixConnection> = {
  patterns: ["scan.recorded"],
  batchMax: SCANS_MAX,
  command: redeemCommand,
  send: checkIn,
};

async function checkIn(
  context: TenantContext,
  connection: PretixConnection,
  commands: readonly OutboundCommand[],
  signal: AbortSignal,
): Promise<Sent> {
  const refused = new Map<string, string>();
  const echoes: Echo[] = [];
  if (connection.settings.checkInLists === undefined) return { refused };
  for (const { eventId, command } of commands) {
    const wish = command as RedeemCommand;
    const done = await redeemOrExplain(context, connection, wish, signal);
    if ("problem" in done) return done;
    if ("refused" in done) refused.set(eventId, done.refused);
    else if (done.key !== undefined) echoes.push({ key: done.key, passId: wish.passId });
  }
  return { refused, echoes };
}

async function redeemOrExplain(
  context: TenantContext,
  connection: PretixConnection,
  command: RedeemCommand,
  signal: AbortSignal,
): Promise<Exclude<Redeemed, "problem"> | SendingProblem> {
  try {
    return await redeem(context, connection, command, signal);
  } catch (error) {
    if (error instanceof VendorProblem) return { problem: error.message };
    if (error instanceof EgressError) {
      return { problem: `pretix cannot be reached: ${error.message}` };
    }
    throw error;
  }
}

/** What was scanned may be any code of the pass, so the ticket's own is asked for. */
async function redeem(
  context: TenantContext,
  connection: PretixConnection,
  { order, positionId, nonce, at }: RedeemCommand,
  signal: AbortSignal,
): Promise<Exclude<Redeemed, "problem"> | SendingProblem> {
  const { settings } = connection;
  if (!positionId.startsWith(`${accountOf(settings)}/`)) {
    return { refused: "the ticket is of another pretix or organizer" };
  }
  const found = await readOrder(context, connection, order, signal);
  const position = listAt(found?.json, "positions").find(
    (one) => ownId(settings, textAt(one, "id") ?? "") === positionId,
  );
  const secret = textAt(position, "secret");
  if (secret === undefined) return { refused: "pretix has no such ticket any more" };
  const lists = settings.checkInLists ?? [];
  const body = { secret, lists, nonce, datetime: at, questions_supported: false };
  const path = ["checkinrpc", "redeem"];
  const answer = await askPretix(context, connection, { path, body }, signal);
  const done = redeemedBy(settings, answer);
  if (done !== "problem") return done;
  return { problem: problemOf(answer.status), retryAfter: answer.retryAfter };
}
