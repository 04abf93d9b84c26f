import { hash, timingSafeEqual } from "node:crypto";
import { systemCall } from "#kernel/call.ts";
import type { TenantContext } from "#kernel/context.ts";
import { isTenantId } from "#kernel/db/scope.ts";
import { chooseLanguage } from "#kernel/http/accept-language.ts";
import { canonicalLocale } from "#kernel/intl.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { findPass, passTypesOf } from "#src/passes/public.ts";
import type { WalletSlot } from "#src/templates/language/public.ts";
import { type FittedImage, fittedImage, ImageError } from "#src/templates/public.ts";
import {
  type Configuration,
  configurationOf,
  settingsFacts,
  tenantCacheOf,
} from "#src/tenants/public.ts";
import { findReceipt } from "../receipt.repository.ts";
import type { Receipt } from "../receipt.schema.ts";
import type { PageTongue, ReceiptPage } from "./page.html.ts";
import { PAGE_LANGUAGES } from "./page.words.ts";

const RECEIPT_AND_SECRET = /^(rc_[A-Za-z0-9]{10,48})\.([A-Za-z0-9]{16,64})$/;

/** A receipt that was asked for by its public address, and the call in which it is shown. */
export type Visit = { readonly context: TenantContext; readonly receipt: Receipt };

/**
 * Finds the receipt of an address. Undefined for an unknown tenant, an unknown receipt and a wrong
 * secret, so that nobody learns which of them it was.
 */
export async function findVisit(
  runtime: Runtime,
  tenantId: string,
  link: string,
  requestId: string,
): Promise<Visit | undefined> {
  const [, receiptId, secret] = RECEIPT_AND_SECRET.exec(link) ?? [];
  if (receiptId === undefined || secret === undefined || !isTenantId(tenantId)) return undefined;
  const known = await tenantCacheOf(runtime).find(tenantId);
  if (known === undefined) return undefined;
  const context = systemCall(runtime, "receipt.open", { tenantId, requestId });
  const receipt = await findReceipt(context, receiptId);
  const digest = (text: string) => hash("sha256", text, "buffer");
  const isRight = timingSafeEqual(digest(secret), digest(receipt?.secret ?? ""));
  return isRight && receipt !== undefined ? { context, receipt } : undefined;
}

/** `wanted` are the languages that the visitor reads, the best first. */
export async function openReceipt(
  { context, receipt }: Visit,
  wanted: readonly string[],
  link: string,
): Promise<ReceiptPage> {
  const configuration = await configurationOf(context);
  const { name, timeZone, defaultLocale } = settingsFacts(configuration.settings);
  const own = receipt.locale === null ? [] : [receipt.locale];
  return {
    receipt,
    tongue: tongueOf([...own, ...wanted, defaultLocale]),
    name,
    timeZone,
    background: await backgroundOf(context, receipt),
    logo: logoPath(configuration) === undefined ? undefined : `${link}/logo.png`,
  };
}

/** The first of these languages that the page has words in. */
export function tongueOf(wanted: readonly string[]): PageTongue {
  for (const tag of wanted) {
    const language = chooseLanguage([tag], PAGE_LANGUAGES);
    if (language !== undefined) return { language, tag: canonicalLocale(tag) ?? language };
  }
  return { language: "en", tag: "en" };
}

/** The colour of the card that the receipt belongs to. */
async function backgroundOf(
  context: TenantContext,
  { passId }: Receipt,
): Promise<string | undefined> {
  const pass = passId === null ? undefined : await findPass(context, passId);
  if (pass === undefined) return undefined;
  const types = await passTypesOf(context);
  return types.find(pass.passType)?.template.colors?.background;
}

const LOGO_SLOT: WalletSlot = {
  wallet: "the page of a receipt",
  name: "brand",
  width: 240,
  height: 72,
  fit: "inside",
  scales: [1, 2],
};
const LOGO_PATHS = [".png", ".jpg", ".jpeg", ".webp"].map((type) => `branding/logo${type}`);

function logoPath({ entries }: Configuration): string | undefined {
  return LOGO_PATHS.find((path) => entries.has(path));
}

/** The tenant's logo in double size, for sharp screens; undefined if there is none. */
export async function findLogo({ context }: Visit): Promise<FittedImage | undefined> {
  const configuration = await configurationOf(context);
  const path = logoPath(configuration);
  const entry = path === undefined ? undefined : configuration.entries.get(path);
  if (path === undefined || entry === undefined) return undefined;
  const read = async () => (await configuration.read(path)) ?? Buffer.alloc(0);
  try {
    return await fittedImage(context, entry.hash.toString("hex"), read, LOGO_SLOT, 2);
  } catch (error) {
    // Files in `branding` may be of any type, also with the name of a picture.
    if (error instanceof ImageError) return undefined;
    throw error;
  }
}
