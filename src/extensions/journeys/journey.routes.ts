import type { TenantContext } from "#kernel/context.ts";
import type { ProblemError } from "#kernel/errors.ts";
import { ANY_TYPE, answer, defineRoute, type Route } from "#kernel/http/route.ts";
import { findConnector } from "../connectors.ts";
import type { Connector } from "../kit/connector.ts";
import { type JourneyAction, JourneyBody, type JourneyWays } from "../kit/journey.ts";
import { JourneyProblem, readJourney, readJourneyBytes } from "../kit/journey-read.ts";
import { tryAgain } from "../kit/journey-statuses.ts";
import { findSettings, isEnabled, type Settings } from "../settings/connection.service.ts";
import { extensionNotConfigured, extensionUnknown } from "../settings/settings.errors.ts";
import { journeyNotOffered, journeyTooSlow } from "./journey.errors.ts";
import {
  CALL_EXAMPLES,
  DONE_EXAMPLE,
  JourneyParams,
  JourneyResult,
  presentRefusal,
} from "./journey.schema.ts";
import { runJourney } from "./journey.service.ts";

/** More than one person's body ever is; what is larger than a call may be is told in a 200. */
const BODY_BYTES_MAX = 1024 * 1024;
const NO_BYTES = Buffer.from("{}");
const REPLAYED = { "idempotency-replayed": "true" };
/** No vendor tries again after these, though another try may succeed. */
const SOON_OVER: ReadonlySet<number> = new Set([408, 409]);
/** A campaign goes to many people at once. */
const CALLS = { limit: 12_000, windowSeconds: 60 };

const ABOUT =
  "For steps of customer journeys at Klaviyo, Braze, Brevo, HubSpot, Customer.io and Bloomreach. Answers 200 with `success: false` for a person for whom it cannot be done, also if the body cannot be understood, because other statuses stop the journey at some vendors; whatever may succeed later is a 5xx. The statuses of other problems fit the vendor. Members of `identifiers`, `additionalData`, `notification` and `options` may also stand beside them, as `identifiers.crm.customerId`.";

type Words = {
  readonly action: JourneyAction;
  readonly op: string;
  readonly summary: string;
  readonly what: string;
  readonly status: "created" | "updated" | "notified";
};

function journeyRoute({ action, op, summary, what, status }: Words): Route {
  return defineRoute({
    op,
    method: "POST",
    url: `/api/:tenantId/extensions/:connector/journey/${action}`,
    scope: "Extension.Journey",
    summary,
    description: `${what} ${ABOUT}`,
    params: JourneyParams,
    body: JourneyBody,
    rawBody: { type: ANY_TYPE, sizeBytesMax: BODY_BYTES_MAX },
    reply: JourneyResult,
    rateLimit: CALLS,
    // One key may stand for a campaign: it counts for each of its people.
    keepsKeys: true,
    noStore: true,
    errors: [extensionUnknown, extensionNotConfigured, journeyNotOffered, journeyTooSlow],
    example: { body: CALL_EXAMPLES[action], reply: { ...DONE_EXAMPLE, status } },
    translate: (problem, { connector = "" }) => translate(connector, problem),
    async handle(context, { params: { connector: name }, raw, idempotencyKey: key }) {
      const { connector, journey, settings } = await requireJourney(context, name);
      const { passType } = settings;
      const defaults = { passType: typeof passType === "string" ? passType : undefined, key };
      try {
        const sent = readJourneyBytes(raw ?? NO_BYTES);
        const call = readJourney(
          action,
          journey.unwrap?.(sent, action, settings) ?? sent,
          defaults,
        );
        const outcome = await runJourney(context, connector.name, call, journey.deadlineMs);
        if ("refused" in outcome) return presentRefusal(outcome.refused);
        return outcome.isRepeated ? answer(outcome.done, { headers: REPLAYED }) : outcome.done;
      } catch (error) {
        if (error instanceof JourneyProblem) return presentRefusal(error.errors);
        throw error;
      }
    },
  });
}

function translate(name: string, problem: ProblemError): ProblemError {
  const told = tryAgain(problem, SOON_OVER);
  return findConnector(name)?.journey?.translate?.(told) ?? told;
}

type Found = {
  readonly connector: Connector;
  readonly journey: JourneyWays;
  readonly settings: Settings;
};

async function requireJourney(context: TenantContext, name: string): Promise<Found> {
  const connector = findConnector(name);
  if (connector === undefined) throw extensionUnknown({ connector: name });
  const { journey } = connector;
  if (journey === undefined) throw journeyNotOffered(connector);
  const settings = await findSettings(context, connector);
  if (!isEnabled(settings)) throw extensionNotConfigured(connector);
  return { connector, journey, settings };
}

export const journeyRoutes: readonly Route[] = [
  journeyRoute({
    action: "createPass",
    op: "journey.create-pass",
    summary: "Give a person on a journey a pass",
    what: "Makes a pass, or brings the one with these identifiers up to date.",
    status: "created",
  }),
  journeyRoute({
    action: "updatePass",
    op: "journey.update-pass",
    summary: "Change the pass of a person on a journey",
    what: "Changes the only pass that has these identifiers.",
    status: "updated",
  }),
  journeyRoute({
    action: "notifyPass",
    op: "journey.notify-pass",
    summary: "Tell a person on a journey something",
    what: "Shows a message on the lock screen of whoever holds the pass.",
    status: "notified",
  }),
];
