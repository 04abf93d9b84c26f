import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { validationProblem } from "#kernel/errors.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import { commonInput, type PublishedTemplate, templatesOf } from "#src/templates/public.ts";
import { configurationOf, newestConfigurationOf } from "#src/tenants/public.ts";
import { GoogleApi } from "../api/api.client.ts";
import { type GoogleFailure, isPassing } from "../api/api.outcome.ts";
import {
  announcesChanges,
  buildSharedClass,
  type GoogleIdentity,
  hasManyClasses,
} from "../google.content.ts";
import { problemOf } from "../google.problem.ts";
import { type GoogleAccount, googleAccountOf } from "../google-account.ts";
import { imageUrlsOf } from "../images/image.service.ts";
import { googleClassByPasses, googleClassNotFound } from "./class.errors.ts";
import type { PassFacts } from "./class.facts.ts";
import {
  type BuiltClass,
  type ClassPlan,
  type KnownPass,
  passFactsOf,
  planClass,
  takenFrom,
} from "./class.plan.ts";
import { confirmClass, findClass, recordTaken } from "./class.repository.ts";
import type { GoogleClass } from "./class.schema.ts";
import { orphansOf } from "./class-orphans.service.ts";
import { refusalOf, sendClass } from "./class-send.service.ts";

/** Somebody waits for the class, so Google has this long to take it. */
const WAIT_MS_MAX = 10_000;

export async function identityOf(
  context: TenantContext,
  { issuerId }: GoogleAccount,
  template: PublishedTemplate,
): Promise<GoogleIdentity> {
  return identityFor(context, issuerId, await imageUrlsOf(context, template));
}

export function identityFor(
  { tenantId, runtime }: TenantContext,
  issuerId: string,
  imageUrl: GoogleIdentity["imageUrl"],
): GoogleIdentity {
  return {
    issuerId,
    prefix: `${tenantId}.`,
    callbackUrl: `${runtime.baseUrl}/.well-known/wallet/${tenantId}/google/callback`,
    imageUrl,
  };
}

/**
 * The class that all passes of a template share, made of the template alone: it shows nothing of
 * any of them.
 */
export async function sharedClassOf(
  context: TenantContext,
  account: GoogleAccount,
  template: PublishedTemplate,
): Promise<BuiltClass> {
  const configuration = await configurationOf(context);
  const { passType } = template;
  return await configuration.derive(`google class ${account.issuerId} ${passType}`, async () => {
    const { tenant } = await templatesOf(context);
    const rendered = await template.render(commonInput(tenant));
    const identity = await identityOf(context, account, template);
    const { type, content } = buildSharedClass(template, rendered, identity);
    return {
      type,
      classId: String(content.id),
      passType,
      content,
      configurationVersion: configuration.version,
      source: null,
      announcesChanges: announcesChanges(rendered),
    };
  });
}

/** The pass that needs the class, with the claim on its row. */
export type SendingPass = KnownPass & {
  readonly passId: string;
  readonly token: string;
  /** False for a pass that is merely brought up to date. */
  readonly isChange: boolean;
};

const sendingIn = perRuntime(() => new Map<string, Promise<GoogleFailure | undefined>>());

/**
 * Makes sure that Google has the class, with what the pass brings; undefined if it has (ADR 20). Passes that need a class while
 * this process sends it look at it again afterwards: mostly it has what they need by then.
 */
export async function ensureClass(
  context: TenantContext,
  api: GoogleApi,
  built: BuiltClass,
  pass: SendingPass,
): Promise<GoogleFailure | undefined> {
  const sending = sendingIn(context.runtime);
  const name = `${context.tenantId} ${built.classId}`;
  const facts = passFactsOf(built, pass);
  for (;;) {
    const known = await findClass(context, built.classId);
    const orphans = await orphansOf(context, known, facts);
    const planned = planClass(known, built, facts, orphans);
    if (planned.isNeeded === "refused") return refusalOf(known);
    if (known !== undefined && planned.isNeeded === "no") {
      await confirmIfNewer(context, known, built, planned);
      return undefined;
    }
    const underWay = sending.get(name);
    if (underWay === undefined) {
      const sent = sendClass({
        ...{ context, api, built },
        plan: (row) => planClass(row, built, facts, orphans),
        recordWith: taking(built, pass, facts),
        mayAnnounce: (row) => mayAnnounce(row, built, pass),
      }).finally(() => sending.delete(name));
      sending.set(name, sent);
      return await sent;
    }
    const failure = await within(api.signal, underWay);
    // Each of a thousand passes would wait for Google in vain.
    if (failure !== undefined && isPassing(failure)) {
      // The account may have been replaced since the other pass was begun.
      return failure.kind === "denied" ? { ...failure, kind: "unavailable" } : failure;
    }
  }
}

const NO_TIME: GoogleFailure = {
  kind: "unavailable",
  message: "There was no time left for the class.",
  isUnsent: true,
};

/** The caller of another pass may have more time. */
async function within(
  signal: AbortSignal,
  underWay: Promise<GoogleFailure | undefined>,
): Promise<GoogleFailure | undefined> {
  const { promise: ended, resolve } = Promise.withResolvers<GoogleFailure>();
  const end = () => resolve(NO_TIME);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  try {
    return await Promise.race([underWay, ended]);
  } catch {
    // It is the other caller's to tell.
    return undefined;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** Whether holders are notified of what the pass changes of the class. */
function mayAnnounce(
  { sentAt }: GoogleClass,
  { source }: BuiltClass,
  { taken, isAtGoogle, isChange }: SendingPass,
): boolean {
  if (source === null) return true;
  if (!isChange) return false;
  // What was last taken from a pass that a former release sent is not known: unless it was changed since the class was
  // sent, it may just be late.
  return taken !== null || !isAtGoogle || (sentAt !== null && source.updatedAt > sentAt);
}

function taking(built: BuiltClass, { passId, token }: SendingPass, facts: PassFacts | null) {
  const taken = takenFrom(built, facts);
  if (taken === null) return undefined;
  return (tx: TenantTx) => recordTaken(tx, token, passId, taken);
}

async function confirmIfNewer(
  context: TenantContext,
  known: GoogleClass,
  { classId, configurationVersion }: BuiltClass,
  { hash }: ClassPlan,
): Promise<void> {
  if (known.contentHash !== hash || known.configurationVersion >= configurationVersion) return;
  const confirmed = { classId, contentHash: hash, configurationVersion };
  await context.transaction((tx) => confirmClass(tx, confirmed));
}

/** True if Google has the class, in whatever form. */
export async function isClassSent(context: TenantContext, classId: string): Promise<boolean> {
  const known = await findClass(context, classId);
  return known !== undefined && known.sentAt !== null;
}

export async function getClass(context: TenantContext, classId: string): Promise<GoogleClass> {
  const known = await findClass(context, classId);
  if (known === undefined) throw googleClassNotFound({ classId });
  return known;
}

/** Sends the class of a pass type now, whether or not it has changed. */
export async function syncClass(context: TenantContext, passType: string): Promise<GoogleClass> {
  // The caller may have published just now, and this process may not have heard of it.
  await newestConfigurationOf(context);
  const template = (await templatesOf(context)).templates.get(passType);
  if (template === undefined) {
    throw validationProblem({ passType: ["must be a type of this tenant"] });
  }
  if (hasManyClasses(template)) throw googleClassByPasses({ passType });
  const account = await googleAccountOf(context);
  const built = await sharedClassOf(context, account, template);
  const api = new GoogleApi(context.runtime, account, AbortSignal.timeout(WAIT_MS_MAX));
  const failure = await sendClass({
    ...{ context, api, built, recordWith: undefined, mayAnnounce: () => true },
    plan: (known) => {
      const planned = planClass(known, built, null);
      const isOlder = known.configurationVersion > built.configurationVersion;
      return { ...planned, isNeeded: isOlder ? "older" : "yes" };
    },
  });
  if (failure !== undefined) throw problemOf(failure);
  const known = await getClass(context, built.classId);
  await context.transaction(async (tx) => tx.audit({ target: `google-class:${known.classId}` }));
  return known;
}
