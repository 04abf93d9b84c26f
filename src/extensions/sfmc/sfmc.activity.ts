import { isObject } from "#kernel/json.ts";
import { JOURNEY_ACTIONS, type JourneyAction, type JourneyCall } from "../kit/journey.ts";
import {
  errorsByField,
  JourneyProblem,
  readJourney,
  readJourneyBytes,
} from "../kit/journey-read.ts";
import { textAt } from "../kit/values.ts";
import type { SfmcSettings } from "./sfmc.config.ts";

/** Journey Builder waits for so long, and then tries again as often. */
const TIMEOUT_MS = 30_000;
const RETRIES = 3;
const RETRY_DELAY_MS = 1_000;
export const DEADLINE_MS = 25_000;

export const STEPS = ["execute", "save", "validate", "publish", "stop"] as const;
export type Step = (typeof STEPS)[number];

/** What later steps of a journey can use. All are texts, as Journey Builder binds them. */
const OUT_ARGUMENTS = ["status", "passId", "installUrl", "errorCode", "error"] as const;
export type OutArguments = Readonly<Record<(typeof OUT_ARGUMENTS)[number], string>>;

/** By which Journey Builder knows the activity: `config.json`. */
export function activityConfig(
  address: string,
  { name = "Wallet pass" }: SfmcSettings,
): Record<string, unknown> {
  const call = (step: Step) => ({ url: `${address}/${step}`, useJwt: true });
  const text = (argument: string) => ({
    [argument]: { dataType: "Text", isNullable: true, direction: "out", access: "visible" },
  });
  return {
    workflowApiVersion: "1.1",
    metaData: { icon: `${address}/icon.svg`, category: "customer" },
    type: "REST",
    lang: { "en-US": { name, description: "Gives a contact a pass, or changes it." } },
    arguments: {
      execute: {
        inArguments: [{ contactKey: "{{Contact.Key}}" }],
        outArguments: [],
        ...call("execute"),
        timeout: TIMEOUT_MS,
        retryCount: RETRIES,
        retryDelay: RETRY_DELAY_MS,
      },
    },
    configurationArguments: {
      save: call("save"),
      publish: call("publish"),
      validate: call("validate"),
      stop: call("stop"),
    },
    wizardSteps: [{ label: "Pass", key: "pass" }],
    userInterfaces: { configModal: { url: `${address}/index.html`, height: 640, width: 900 } },
    schema: {
      arguments: { execute: { inArguments: [], outArguments: OUT_ARGUMENTS.map(text) } },
    },
  };
}

/**
 * What Journey Builder asks for one contact. What the page of the activity put together stands in
 * `inArguments`, flat; the contact itself is known by its key. Throws `JourneyProblem`.
 */
export function callOf(claims: unknown, { passType }: SfmcSettings): JourneyCall {
  const { action, contactKey: _bound, ...sent } = inArgumentsOf(claims);
  const isNamed = Object.keys(sent).some((name) => /^(?:identifiers\b|passId$)/.test(name));
  const contactKey = textAt(claims, "keyValue");
  const named =
    isNamed || contactKey === undefined ? {} : { identifiers: { "sfmc.contactKey": contactKey } };
  return readJourney(actionOf(action), { ...named, ...sent }, { passType, key: keyOf(claims) });
}

function inArgumentsOf(claims: unknown): Record<string, unknown> {
  const list = isObject(claims) ? claims.inArguments : undefined;
  const parts = Array.isArray(list) ? list.filter(isObject) : [];
  const sent = Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
  // Read as strictly as what other vendors send: not every text can be stored.
  return { ...readJourneyBytes(Buffer.from(JSON.stringify(sent))) };
}

function actionOf(action: unknown): JourneyAction {
  const known = JOURNEY_ACTIONS.find((one) => one === action);
  if (known !== undefined) return known;
  throw new JourneyProblem(
    errorsByField({ action: [`must be one of ${JOURNEY_ACTIONS.join(", ")}`] }),
  );
}

/** One way of a contact through one activity of a journey: tried again it is the same. */
function keyOf(claims: unknown): string | undefined {
  const passage = textAt(claims, "definitionInstanceId") ?? textAt(claims, "activityInstanceId");
  if (passage === undefined) return undefined;
  return `${passage} ${textAt(claims, "activityId") ?? ""}`;
}

const NOTHING: OutArguments = { status: "", passId: "", installUrl: "", errorCode: "", error: "" };

export function doneArguments(done: {
  readonly status: string;
  readonly passId: string;
  readonly installUrl: string;
}): OutArguments {
  const { status, passId, installUrl } = done;
  return { ...NOTHING, status, passId, installUrl };
}

/** An answer of 200, because any other one would end the journey of the contact. */
export function failedArguments(
  errors: readonly { readonly code: string; readonly description: string }[],
): OutArguments {
  const error = errors.map(({ description }) => description).join("; ");
  return { ...NOTHING, status: "failed", errorCode: errors[0]?.code ?? "", error };
}
