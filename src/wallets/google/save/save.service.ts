import { randomUUID } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import { isObject } from "#kernel/json.ts";
import { findPassesForUpdate, getPass, type Pass, passNotFound } from "#src/passes/public.ts";
import { newestConfigurationOf } from "#src/tenants/public.ts";
import { servicesOf } from "../../wallet.services.ts";
import { GoogleApi } from "../api/api.client.ts";
import type { GoogleFailure } from "../api/api.outcome.ts";
import { isClassSent } from "../classes/class.service.ts";
import { googleObjectId } from "../google.content.ts";
import { googleUnavailable } from "../google.errors.ts";
import { problemOf } from "../google.problem.ts";
import { type GoogleAccount, googleAccountOf } from "../google-account.ts";
import { findHalt } from "../halts/halt.repository.ts";
import { sendMessages } from "../objects/message.service.ts";
import { findObject, type GoogleObject } from "../objects/object.repository.ts";
import {
  claimedApi,
  noteFailure,
  noteSent,
  type Sending,
  sendObject,
} from "../objects/object.service.ts";
import { type BuiltPass, buildPass } from "../objects/object-content.service.ts";
import { claimObject } from "../objects/object-queue.repository.ts";
import { fullToken, shortToken, TOKEN_LENGTH_MAX } from "./save.token.ts";

/** A person waits for the link, so Google has this long to take the pass. */
const WAIT_MS_MAX = 4_000;
/** If this process dies meanwhile, a worker goes on after so long. */
const CLAIM_SECONDS = 15;

export type SaveLink = { readonly token: string; readonly link: string };

/** The https link that puts a pass into Google Wallet. */
export async function googleSaveLinkOf(context: TenantContext, pass: Pass): Promise<string> {
  const { link } = await makeSaveLink(context, pass.id);
  return link;
}

/** For callers that name a pass. */
export async function createSaveLink(context: TenantContext, passId: string): Promise<SaveLink> {
  await getPass(context, passId);
  const made = await makeSaveLink(context, passId);
  await context.transaction(async (tx) => tx.audit({ target: `pass:${passId}`, subject: passId }));
  return made;
}

/**
 * From here on, somebody may hold the pass: it is sent to Google and kept up to date there. The link
 * then only names it. If Google has not taken it in time, the link holds all of it; a token that is
 * too long for a link is left with Google, which gives a link for it.
 */
async function makeSaveLink(context: TenantContext, passId: string): Promise<SaveLink> {
  const account = await googleAccountOf(context);
  const objectId = googleObjectId(passId, account);
  const known = await findObject(context, passId);
  const now = context.clock.now();
  if (isThere(known, objectId)) {
    const named = { id: objectId, classId: known.classId };
    return await linkOf(context, account, await shortToken(account, known.googleType, named, now));
  }
  const api = new GoogleApi(context.runtime, account, AbortSignal.timeout(WAIT_MS_MAX));
  const { failure, built } = await sendNow({ context, api, account }, passId, objectId);
  if (failure === undefined) {
    const named = { id: objectId, classId: built.ofClass.classId };
    return await linkOf(context, account, await shortToken(account, built.type, named, now));
  }
  if (failure.kind !== "unavailable" && failure.kind !== "quota") throw problemOf(failure);
  const { ofClass, object } = built;
  const hasClass = await isClassSent(context, ofClass.classId);
  const content = { ofClass: hasClass ? undefined : ofClass.content, object };
  const token = await fullToken(account, built.type, content, now);
  if (token.length <= TOKEN_LENGTH_MAX) return await linkOf(context, account, token);
  const link = await linkForLong(api, token);
  if (link === undefined) throw googleUnavailable().because(failure.message);
  return { token, link };
}

/** Undefined if Google does not take the token now, or there is no time left to ask. */
async function linkForLong(api: GoogleApi, token: string): Promise<string | undefined> {
  const outcome = await api.insertToken(token);
  if (outcome.kind !== "done" || !isObject(outcome.body)) return undefined;
  const { saveUri } = outcome.body;
  return typeof saveUri === "string" && URL.canParse(saveUri) ? saveUri : undefined;
}

type There = GoogleObject & {
  readonly classId: string;
  readonly googleType: NonNullable<GoogleObject["googleType"]>;
};

/** True if Google has the object; workers keep it up to date. */
function isThere(known: GoogleObject | undefined, objectId: string): known is There {
  return (
    known !== undefined &&
    known.contentHash !== null &&
    known.classId !== null &&
    known.googleType !== null &&
    known.objectId === objectId
  );
}

type SentNow = { readonly failure: GoogleFailure | undefined; readonly built: BuiltPass };

async function sendNow(
  { context, api, account }: Omit<Sending, "token">,
  passId: string,
  objectId: string,
): Promise<SentNow> {
  const halt = await findHalt(context);
  if (halt !== undefined) throw problemOf({ kind: "denied", message: halt });
  const claim = { token: randomUUID(), seconds: CLAIM_SECONDS };
  const object = await context.transaction(async (tx) => {
    // An erasure that has happened meanwhile would not know of the row that is made here.
    const [locked] = await findPassesForUpdate(tx, [passId]);
    if (locked === undefined) throw passNotFound({ passId });
    return await claimObject(tx, passId, objectId, claim);
  });
  // Only now: changes that come later find the row and mark it, those before are read here.
  await newestConfigurationOf(context);
  const pass = await getPass(context, passId);
  const built = await buildPass(context, account, pass);
  if (object === undefined) {
    // Another process is sending it, or it waits after a failure: nobody has to wait for that.
    const message = "Google has not taken the pass yet.";
    return { failure: { kind: "unavailable", message }, built };
  }
  const { token } = claim;
  const sending = { context, api: claimedApi(context, api, { token, passId }), account, token };
  const { failure, isChanged } = await sendObject(sending, object, built);
  // Messages that could not be sent leave the pass queued; the link is good, as Google has the pass.
  const unsent = failure ?? (await sendMessages(sending, pass, built));
  if (unsent === undefined) await noteSent(sending, object, built, undefined, isChanged);
  else await noteFailure(sending, object, unsent);
  return { failure, built };
}

async function linkOf(
  { runtime }: TenantContext,
  { isDemo }: GoogleAccount,
  token: string,
): Promise<SaveLink> {
  const { saveUrl } = await servicesOf(runtime).google(isDemo);
  return { token, link: `${saveUrl}/${token}` };
}
