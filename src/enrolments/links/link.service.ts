import { randomInt } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { ProblemError, validationProblem } from "#kernel/errors.ts";
import { difference } from "#kernel/members.ts";
import { getStore } from "#src/stores/public.ts";
import { configurationOf, publicAddress } from "#src/tenants/public.ts";
import { qrCode, qrSvg } from "#src/wallets/public.ts";
import { formNamesOf } from "../settings/settings.service.ts";
import { linkNotFound, linkTaken, linkTooMany } from "./link.errors.ts";
import { linkCreated, linkDeleted, linkUpdated } from "./link.events.ts";
import * as links from "./link.repository.ts";
import {
  fieldsOf,
  LINK_MEMBERS,
  type Link,
  type LinkCreate,
  type LinkFields,
  type LinkUpdate,
  type LinkView,
  linkUrl,
  presentLink,
  versionOf,
} from "./link.schema.ts";

export const LINKS_MAX = 10_000;
const TRIES_MAX = 5;
const CODE_LENGTH = 8;
/** Without letters and digits that look alike in print. */
const CODE_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";

const differ = difference<Link, typeof LINK_MEMBERS>(LINK_MEMBERS);

/** Shows links under the public address of the tenant. */
export async function linkPresenter(context: TenantContext): Promise<(link: Link) => LinkView> {
  const address = await addressOf(context);
  return (link) => presentLink(link, address, context.tenantId);
}

async function addressOf(context: TenantContext): Promise<string> {
  const { settings } = await configurationOf(context);
  return publicAddress(context.runtime.baseUrl, settings.customDomain);
}

export async function createLink(
  context: TenantContext,
  { code, ...sent }: LinkCreate,
): Promise<Link> {
  const fields = fieldsOf(sent);
  await requireGood(context, fields);
  const present = await linkPresenter(context);
  return await context.transaction(async (tx) => {
    await links.lockLinks(tx);
    if ((await links.countLinks(tx)) >= LINKS_MAX) throw linkTooMany({ most: LINKS_MAX });
    const link = await insertUnder(tx, code, fields);
    const view = present(link);
    tx.emit(linkCreated, view);
    tx.audit({ target: targetOf(link.id), after: view });
    return link;
  });
}

async function insertUnder(
  tx: TenantTx,
  code: string | undefined,
  fields: LinkFields,
): Promise<Link> {
  for (let count = 1; ; count += 1) {
    const tried = code ?? randomCode();
    const link = await links.insertLink(tx, tried, fields);
    if (link !== undefined) return link;
    if (code !== undefined || count === TRIES_MAX) throw linkTaken({ code: tried });
  }
}

function randomCode(): string {
  const letter = () => CODE_LETTERS[randomInt(CODE_LETTERS.length)] ?? "";
  return Array.from({ length: CODE_LENGTH }, letter).join("");
}

export async function getLink(context: TenantContext, code: string): Promise<Link> {
  const link = await links.findLink(context, code);
  if (link === undefined) throw linkNotFound({ code });
  return link;
}

/** A change without effect makes no version and no event. */
export async function updateLink(
  context: TenantContext,
  code: string,
  sent: LinkUpdate,
): Promise<Link> {
  const fields = fieldsOf(sent);
  await requireGood(context, fields);
  const present = await linkPresenter(context);
  return await context.transaction(async (tx) => {
    const known = await lockLink(context, tx, code);
    if (!differ(known, fields)) return known;
    const changed = await links.updateLink(tx, code, fields);
    const [before, after] = [present(known), present(changed)];
    tx.emit(linkUpdated, after, { previous: before });
    tx.audit({ target: targetOf(code), before, after });
    return changed;
  });
}

/** Passes that were got by it keep its code. */
export async function deleteLink(context: TenantContext, code: string): Promise<void> {
  const present = await linkPresenter(context);
  await context.transaction(async (tx) => {
    const link = await lockLink(context, tx, code);
    await links.deleteLink(tx, code);
    const view = present(link);
    tx.emit(linkDeleted, view);
    tx.audit({ target: targetOf(code), before: view });
  });
}

/** The address of the link as a picture to print. */
export async function drawLink(context: TenantContext, code: string): Promise<string> {
  const { id } = await getLink(context, code);
  const drawn = qrCode(linkUrl(await addressOf(context), context.tenantId, id));
  if (drawn === undefined) throw new Error("The address of a link is too long for a QR code.");
  return qrSvg(drawn);
}

async function lockLink(context: TenantContext, tx: TenantTx, code: string): Promise<Link> {
  const link = await links.findLinkForUpdate(tx, code);
  if (link === undefined) throw linkNotFound({ code });
  context.requireMatch(versionOf(link));
  return link;
}

/** A link must lead to a form, and name a store that is there. */
async function requireGood(context: TenantContext, fields: LinkFields): Promise<void> {
  const { passType, storeId } = fields;
  const errors: Record<string, string[]> = {};
  if (!(await formNamesOf(context)).includes(passType)) {
    errors.passType = ["must be a pass type that has a form in server/enrolment.yml"];
  }
  if (storeId !== null && !(await hasStore(context, storeId))) {
    errors.storeId = ["must be the id of a store of this tenant"];
  }
  if (Object.keys(errors).length > 0) throw validationProblem(errors);
}

async function hasStore(context: TenantContext, storeId: string): Promise<boolean> {
  try {
    await getStore(context, storeId);
    return true;
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return false;
    throw error;
  }
}

function targetOf(code: string): string {
  return `enrolment-link:${code}`;
}

/** Undefined if there is no such link, or it is switched off. */
export async function findOpenLink(
  context: TenantContext,
  code: string,
): Promise<Link | undefined> {
  const link = await links.findLink(context, code);
  return link?.enabled ? link : undefined;
}

/** Counts a visit, and nothing about the visitor. Undefined as for `findOpenLink`. */
export function visitLink(context: TenantContext, code: string): Promise<Link | undefined> {
  return context.transaction((tx) => links.updateVisits(tx, code));
}
