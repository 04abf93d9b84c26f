import { hash, randomBytes } from "node:crypto";
import type { SystemContext } from "#kernel/context.ts";
import { violatedUnique } from "#kernel/db/failures.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { ANONYMOUS } from "#kernel/http/anonymous.ts";
import { newId } from "#kernel/ids.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { ADMINISTRATOR_SIGNAL } from "../administrators/administrator.cache.ts";
import { administratorEmailTaken } from "../administrators/administrator.errors.ts";
import { hashPassword } from "../administrators/administrator.password.ts";
import * as administrators from "../administrators/administrator.repository.ts";
import {
  type Administrator,
  type Invitation,
  presentAdministrator,
} from "../administrators/administrator.schema.ts";
import { deleteRecordsByAccount } from "../authorization/authorization.repository.ts";
import type { BrowserToken } from "./known-browser.cookie.ts";
import { deleteKnownBrowsersOf } from "./known-browser.repository.ts";
import { rememberBrowser } from "./known-browser.service.ts";
import { personActor, type Visit, visitorCall } from "./sign-in.service.ts";
import * as links from "./sign-in-link.repository.ts";

const TOKEN_BYTES = 32;
const TOKEN_SHAPE = /^[\w-]{43}$/;
const VALID_HOURS = { firstRun: 24, invitation: 72 } as const;

/** A link is for a known administrator, or for the person who becomes the first administrator. */
export type LinkPurpose =
  | { readonly kind: "first-run" }
  | { readonly kind: "invitation"; readonly email: string; readonly name: string };

/**
 * The link for the first administrator; undefined if there is one. Every start makes a new link and
 * earlier links stay valid, so that two nodes that start together both print a valid link.
 */
export function createFirstRunLink(call: SystemContext): Promise<string | undefined> {
  return call.transaction(async (tx) => {
    if (await administrators.existsAdministrator(tx)) return undefined;
    const { url } = await makeLink(call.runtime, tx, null, VALID_HOURS.firstRun);
    return url;
  });
}

/** Deletes earlier links of this administrator. */
export async function inviteAdministrator(
  runtime: Runtime,
  tx: TenantTx,
  administratorId: string,
): Promise<Invitation> {
  await links.deleteLinksOf(tx, administratorId);
  return makeLink(runtime, tx, administratorId, VALID_HOURS.invitation);
}

/** Does not use up the link, because mail programs open links too. */
export async function findLinkPurpose(
  runtime: Runtime,
  token: string,
): Promise<LinkPurpose | undefined> {
  if (!TOKEN_SHAPE.test(token)) return undefined;
  const link = await links.findLink(runtime, hashToken(token));
  if (link === undefined) return undefined;
  if (link.administratorId === null) return { kind: "first-run" };
  return { kind: "invitation", email: link.email ?? "", name: link.name ?? "" };
}

export type LinkAnswer = {
  readonly email: string;
  readonly name: string;
  readonly password: string;
};

/**
 * Uses up the link. Returns what makes the browser known to the administrator of the link;
 * undefined if the link is not valid.
 */
export async function redeemLink(
  runtime: Runtime,
  visit: Visit,
  token: string,
  answer: LinkAnswer,
): Promise<BrowserToken | undefined> {
  const purpose = await findLinkPurpose(runtime, token);
  if (purpose === undefined) return undefined;
  // Hashed before the transaction, so that no row is locked for the half second that this takes.
  const passwordHash = await hashPassword(answer.password, {
    gate: "known",
    group: hashToken(token).toString("hex"),
  });
  const email = purpose.kind === "first-run" ? answer.email : purpose.email;
  const op = purpose.kind === "first-run" ? "administrator.create-first" : "administrator.redeem";
  const actor = personActor({ id: "self", email });
  try {
    return await visitorCall(runtime, visit, op, { ...ANONYMOUS, ...actor }).transaction(
      async (tx) => {
        const administrator = await claimAdministrator(tx, token, answer);
        if (administrator === undefined) return undefined;
        await setPassword(tx, administrator, passwordHash);
        return await rememberBrowser(tx, administrator.id);
      },
    );
  } catch (error) {
    if (violatedUnique(error) !== "administrator_email") throw error;
    throw administratorEmailTaken({ email });
  }
}

async function claimAdministrator(
  tx: TenantTx,
  token: string,
  { email, name }: LinkAnswer,
): Promise<Administrator | undefined> {
  const link = await links.claimLink(tx, hashToken(token));
  if (link === undefined) return undefined;
  if (link.administratorId !== null) {
    const found = await administrators.findAdministratorForUpdate(tx, link.administratorId);
    return found?.disabled === false ? found : undefined;
  }

  await administrators.lockFirstAdministrator(tx);
  if (await administrators.existsAdministrator(tx)) return undefined;
  await links.deleteLinksOf(tx, null);
  return administrators.insertAdministrator(tx, newId("adm", tx.now.getTime()), {
    email,
    name,
    role: "global",
    tenants: [],
    disabled: false,
  });
}

async function setPassword(tx: TenantTx, before: Administrator, hashed: string): Promise<void> {
  await administrators.updatePassword(tx, before.id, hashed);
  await administrators.updateLastSignIn(tx, before.id);
  await deleteRecordsByAccount(tx, before.id);
  await deleteKnownBrowsersOf(tx, before.id);
  tx.audit({
    target: `administrator:${before.id}`,
    after: { ...presentAdministrator(before), password: "set" },
  });
  tx.signal(ADMINISTRATOR_SIGNAL, before.id);
}

async function makeLink(
  runtime: Runtime,
  tx: TenantTx,
  administratorId: string | null,
  validHours: number,
): Promise<Invitation> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const expiresAt = new Date(tx.now.getTime() + validHours * 3_600_000);
  await links.insertLink(tx, hashToken(token), administratorId, expiresAt);
  return { url: `${runtime.baseUrl}/sign-in/${token}`, expiresAt: expiresAt.toISOString() };
}

function hashToken(token: string): Buffer {
  return hash("sha256", token, "buffer");
}
