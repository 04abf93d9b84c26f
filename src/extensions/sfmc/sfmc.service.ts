import { systemCall } from "#kernel/call.ts";
import type { TenantContext } from "#kernel/context.ts";
import { isTenantId } from "#kernel/db/scope.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { passTypesOf } from "#src/passes/public.ts";
import { webhookUrlOf } from "../inbox/address.service.ts";
import { inboxNotFound, refuseSignature } from "../inbox/inbox.errors.ts";
import { enterDoor } from "../inbox/inbox-door.service.ts";
import { runJourney } from "../journeys/journey.service.ts";
import type { Connection } from "../kit/connector.ts";
import { JourneyProblem } from "../kit/journey-read.ts";
import { verifyJwt } from "../kit/jwt.ts";
import {
  activityConfig,
  callOf,
  DEADLINE_MS,
  doneArguments,
  failedArguments,
  type OutArguments,
  type Step,
} from "./sfmc.activity.ts";
import type { SfmcSettings } from "./sfmc.config.ts";
import { sfmc } from "./sfmc.connector.ts";

/** Throws the same for whatever is missing. */
export async function openActivity(
  context: TenantContext,
  token: string,
): Promise<Connection<SfmcSettings>> {
  const connection = await enterDoor(context, sfmc, token);
  if (connection === undefined) throw inboxNotFound();
  return connection as Connection<SfmcSettings>;
}

type Page = { readonly settings: SfmcSettings; readonly passTypes: readonly string[] };

/** What the page shows of the tenant. */
export async function openPage(
  runtime: Runtime,
  tenantId: string,
  token: string,
  requestId: string,
): Promise<Page> {
  if (!isTenantId(tenantId)) throw inboxNotFound();
  const context = systemCall(runtime, "sfmc.page", { tenantId, requestId });
  const { settings } = await openActivity(context, token);
  return { settings, passTypes: (await passTypesOf(context)).names };
}

export async function describeActivity(
  context: TenantContext,
  token: string,
): Promise<Record<string, unknown>> {
  const { settings } = await openActivity(context, token);
  return activityConfig(webhookUrlOf(context, sfmc.name, token), settings);
}

/** Takes a call of Journey Builder, whose whole body is a signed token. */
export async function runStep(
  context: TenantContext,
  token: string,
  step: Step,
  rawBody: Buffer,
): Promise<OutArguments | Record<string, never>> {
  const { settings, secrets } = await openActivity(context, token);
  const now = context.clock.now();
  const verdict = await verifyJwt(rawBody.toString("latin1").trim(), secrets.jwtSecret ?? [], now);
  if (!verdict.ok) throw refuseSignature(401, verdict.reason);
  // Nothing is kept of an activity: what it shall do comes with each contact.
  if (step !== "execute") return {};
  try {
    const call = callOf(verdict.claims, settings);
    const { runtime, tenantId, requestId } = context;
    const { tenantSince } = context;
    const own = systemCall(runtime, "sfmc.step", { tenantId, tenantSince, requestId });
    const outcome = await runJourney(own, sfmc.name, call, DEADLINE_MS);
    return "done" in outcome ? doneArguments(outcome.done) : failedArguments(outcome.refused);
  } catch (error) {
    if (error instanceof JourneyProblem) return failedArguments(error.errors);
    throw error;
  }
}
