import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { ProblemError } from "#kernel/errors.ts";
import { isObject, parseJson } from "#kernel/json.ts";
import {
  readSecret,
  readSecretForUpdate,
  removeSecret,
  secretUnreadable,
  writeSecret,
} from "#src/secrets/public.ts";
import { configurationOf } from "#src/tenants/public.ts";
import type { AppleSettings } from "../../apple/apple.schema.ts";
import { readAppleSettings } from "../../apple/signing/apple-signer.ts";
import { lockSlots } from "../credential.repository.ts";
import {
  DEFAULT_NAMES,
  type Material,
  type SecretNames,
  type SlotTexts,
  valuesFor,
} from "./slot.texts.ts";

/** Holds the slot `next` as one text. That of the slot `current` stands in the secrets in use. */
export const NEXT_SECRET = "APPLE-SLOT-NEXT";
/** Holds the keys of requests whose certificates have not come yet. */
const REQUESTS_SECRET = "APPLE-SLOT-REQUESTS";
/** So many requests can wait for their certificates; older ones are forgotten. */
const REQUESTS_MAX = 3;

export type Slots = {
  /** Undefined if the tenant has published no file that names them. */
  readonly settings: AppleSettings | undefined;
  readonly names: SecretNames;
  readonly current: SlotTexts;
  /** Undefined if nothing waits. */
  readonly next: SlotTexts | undefined;
  /** Private keys in PEM, the newest first. */
  readonly requests: readonly string[];
};

type Read = (key: string) => Promise<string | undefined>;

type Settings = AppleSettings | undefined;

/** Undefined if the tenant has published no such file. Not for use in a transaction. */
export async function appleSettingsOf(context: TenantContext): Promise<Settings> {
  const configuration = await configurationOf(context);
  return await configuration.derive("apple settings", () => readAppleSettings(configuration));
}

export async function readSlots(context: TenantContext): Promise<Slots> {
  return await collectSlots(await appleSettingsOf(context), (key) => readSecret(context, key));
}

/** Reads in a transaction, and keeps others from changing the slots until its end. */
export async function readSlotsForUpdate(
  context: TenantContext,
  tx: TenantTx,
  settings: Settings,
): Promise<Slots> {
  // Rows that are not there cannot be locked, and the first slots are made of such rows.
  await lockSlots(tx);
  return await collectSlots(settings, (key) => readSecretForUpdate(context, tx, key));
}

async function collectSlots(settings: Settings, read: Read): Promise<Slots> {
  const names = settings?.secrets ?? DEFAULT_NAMES;
  const text = async (name: string | undefined) =>
    name === undefined ? undefined : await readOrEmpty(read, name);
  const next = await text(NEXT_SECRET);
  const requests = await text(REQUESTS_SECRET);
  const current = {
    certificate: await text(names.certificate),
    key: await text(names.key),
    passphrase: await text(names.passphrase),
    intermediate: await text(names.intermediate),
  };
  return { settings, names, current, next: slotIn(next), requests: listIn(requests) };
}

/** A secret that was damaged outside of this service counts as empty: storing it anew repairs it. */
async function readOrEmpty(read: Read, name: string): Promise<string | undefined> {
  try {
    return await read(name);
  } catch (error) {
    if (error instanceof ProblemError && error.code === secretUnreadable.code) return "";
    throw error;
  }
}

/** Undefined also for a text that somebody else stored under this name. */
function slotIn(text: string | undefined): SlotTexts | undefined {
  const value = parseJson(text ?? "");
  const isSlot = isObject(value) && Object.values(value).every((each) => typeof each === "string");
  return isSlot ? (value as SlotTexts) : undefined;
}

function listIn(text: string | undefined): string[] {
  const value = parseJson(text ?? "");
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

export async function writeCurrent(
  context: TenantContext,
  tx: TenantTx,
  names: SecretNames,
  material: Material,
): Promise<void> {
  for (const [name, value] of valuesFor(names, material)) {
    if (value === undefined) await removeSecret(tx, name);
    else await writeSecret(tx, context.runtime.sealer, name, value);
  }
}

/** Empties the slot if there is nothing to keep. */
export async function writeNext(
  context: TenantContext,
  tx: TenantTx,
  texts: SlotTexts,
): Promise<void> {
  if (Object.values(texts).every((text) => !text)) await removeSecret(tx, NEXT_SECRET);
  else await writeSecret(tx, context.runtime.sealer, NEXT_SECRET, JSON.stringify(texts));
}

export async function writeRequests(
  context: TenantContext,
  tx: TenantTx,
  keys: readonly string[],
): Promise<void> {
  const kept = keys.slice(0, REQUESTS_MAX);
  if (kept.length === 0) await removeSecret(tx, REQUESTS_SECRET);
  else await writeSecret(tx, context.runtime.sealer, REQUESTS_SECRET, JSON.stringify(kept));
}
