import { hash } from "node:crypto";
import { isObject } from "#kernel/json.ts";
import type { Action } from "./action.ts";
import {
  type Arrival,
  DeliveryProblem,
  type Inbound,
  passTerm,
  type Reading,
} from "./connector.ts";
import { JOURNEY_ACTIONS, type JourneyAction, type JourneyCall, type Unwrap } from "./journey.ts";
import { journeyKey } from "./journey-key.ts";
import { type Named, namedIn, pairsIn } from "./journey-named.ts";
import { JourneyProblem, readJourney, readJourneyBytes } from "./journey-read.ts";

type JourneySettings = { readonly passType?: string | undefined };

type Ways<Secret extends string> = {
  /** In identifiers of its people: `customerio` in `customerio.id`. */
  readonly name: string;
  readonly verify: Inbound<JourneySettings, Secret>["verify"];
  /** What differs between two calls with the same body, and cannot be made up by others. */
  stampOf(headers: Readonly<Record<string, string>>): string | undefined;
  readonly unwrap?: Unwrap;
};

/**
 * The same calls as by an API key, from a vendor that signs them in its place: the body names the
 * action. They are stored and worked on afterwards, so the vendor learns nothing of the outcome.
 */
export function journeyInbound<Secret extends string>(
  ways: Ways<Secret>,
): Inbound<JourneySettings, Secret> {
  return {
    verify: ways.verify,
    read: (arrival, { settings }) => readingOf(ways, arrival, settings),
    people: (arrival) => peopleIn(ways, arrival),
    ofAnySystem: true,
    // More than a call may have: one that is too large is kept for people to look at, not sent again.
    bodyBytesMax: 1024 * 1024,
    // Whatever is not a 2xx holds up all others behind it at some vendors.
    ack: { stored: 200, duplicate: 200, ignored: 200, unreadable: 200, badSignature: 401 },
    plan: (_context, delivery, { settings }) => {
      const call = callOf(ways, delivery, settings);
      const action: Action = { do: "pass", wish: call.wish, fitsTo: call.fitsTo };
      const key = call.key === undefined ? undefined : journeyKey(call);
      return { actions: [key === undefined ? action : { ...action, key }] };
    },
  };
}

function readingOf<Secret extends string>(
  ways: Ways<Secret>,
  arrival: Arrival,
  settings: JourneySettings,
): Reading {
  const call = callOf(ways, arrival, settings);
  const stamp = ways.stampOf(arrival.headers) ?? "";
  // The key in the body is looked at when the call is done: one that failed may be sent again.
  const sent = Buffer.concat([Buffer.from(`${stamp} `), arrival.rawBody]);
  const [subject = ""] = peopleOfCall(ways.name, call.wish);
  return { dedupeKey: hash("sha256", sent, "base64url"), topic: call.action, subject };
}

/** By these an erasure finds what has come. Identifiers of the vendor itself come first. */
function peopleOfCall(name: string, { identifiers, passId }: Named): string[] {
  const names = Object.keys(identifiers).sort();
  const isOwn = (known: string) => known.startsWith(`${name}.`);
  return [
    ...names.filter(isOwn).map((own) => `${own.slice(name.length + 1)}=${identifiers[own]}`),
    ...names.filter((other) => !isOwn(other)).map((other) => `${other}=${identifiers[other]}`),
    ...(passId === undefined ? [] : [passTerm(passId)]),
  ];
}

/** Whom a call is about, also if nothing can be done with it: it is kept, and must be found again. */
function peopleIn<Secret extends string>(
  { name, unwrap = (sent) => sent }: Ways<Secret>,
  { json, rawBody }: Arrival,
): string[] {
  const sent = isObject(json) ? unwrap(json, undefined, {}) : pairsIn(rawBody.toString("utf8"));
  return peopleOfCall(name, namedIn(sent));
}

function callOf<Secret extends string>(
  { unwrap = (sent) => sent }: Ways<Secret>,
  { rawBody }: Pick<Arrival, "rawBody">,
  settings: JourneySettings,
): JourneyCall {
  const { passType } = settings;
  try {
    const { action, ...sent } = unwrap(readJourneyBytes(rawBody), undefined, settings);
    if (!isAction(action)) {
      throw new DeliveryProblem(`It has no action: one of ${JOURNEY_ACTIONS.join(", ")}.`);
    }
    const call = readJourney(action, sent, { passType });
    if (!call.updatesMetadata) return call;
    throw new DeliveryProblem("The option UpdateMetadata is for calls with an API key.");
  } catch (error) {
    if (error instanceof JourneyProblem) throw new DeliveryProblem(error.message);
    throw error;
  }
}

function isAction(action: unknown): action is JourneyAction {
  return JOURNEY_ACTIONS.some((known) => known === action);
}

/** Vendors that put what was entered into an envelope of their own. */
export function unwrapMember(member: string, keyMember: string): Unwrap {
  return (sent) => {
    const inner = sent[member];
    if (!isObject(inner)) return sent;
    const key = sent[keyMember];
    return key === undefined ? inner : { idempotencyKey: key, ...inner };
  };
}
