import { systemCall } from "#kernel/call.ts";
import type { TenantContext } from "#kernel/context.ts";
import { ProblemError } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
import type { Lease } from "#kernel/work/lease.ts";
import { WorkLoop } from "#kernel/work/work-loop.ts";
import { getPass, type Pass, passNotFound } from "#src/passes/public.ts";
import { newestConfigurationOf } from "#src/tenants/public.ts";
import { GoogleApi } from "../api/api.client.ts";
import type { GoogleFailure } from "../api/api.outcome.ts";
import { googleNotConfigured } from "../google.errors.ts";
import { type GoogleAccount, googleAccountOf } from "../google-account.ts";
import { findObject, type GoogleObject } from "./object.repository.ts";
import { claimedApi, noteFailure, type Sending, syncObject } from "./object.service.ts";
import { OBJECT_HINT } from "./object.signal.ts";
import { eraseObject } from "./object-erasure.service.ts";
import { claimObjects, listDueTenants, renewObjects } from "./object-queue.repository.ts";

const OP = "google.send";
const TENANTS_AT_ONCE = 8;
/** As many as an issuer may send in one second. */
const BATCH_MAX = 20;
const LEASE_SECONDS = 30;
const SWEEP_MS = 2_000;
const FINISH_MS = 5_000;

type Batch = { readonly context: TenantContext; readonly objects: readonly GoogleObject[] };

/**
 * Brings changed passes to Google, in every worker process. Many changes of a pass are one request:
 * the pass is read when its turn comes.
 */
export class ObjectEngine {
  readonly #runtime: Runtime;
  readonly #loop: WorkLoop<Batch>;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#loop = new WorkLoop(
      {
        name: OP,
        groupsAtOnceMax: TENANTS_AT_ONCE,
        leaseSeconds: LEASE_SECONDS,
        finishMs: FINISH_MS,
        hint: OBJECT_HINT,
        noteHint: (tenantId) => tenantId,
        sweepMs: SWEEP_MS,
        sweep: () => listDueTenants(systemCall(runtime, OP)),
        claim: (tenantId, lease) => this.#claim(tenantId, lease),
        work: (batch, lease) => this.#work(batch, lease),
        renew: (leases) => this.#renew(leases),
      },
      runtime,
    );
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async #claim(tenantId: string, lease: Lease): Promise<Batch | undefined> {
    const context = systemCall(this.#runtime, OP, { tenantId });
    const objects = await context.transaction((tx) => {
      lease.begin();
      const { token, seconds } = lease;
      return claimObjects(tx, { token, seconds, count: BATCH_MAX });
    });
    return objects.length === 0 ? undefined : { context, objects };
  }

  async #work({ context, objects }: Batch, lease: Lease): Promise<boolean> {
    // A publication may have started this work before this process heard of it.
    await newestConfigurationOf(context);
    await Promise.all(objects.map((object) => this.#sync(context, object, lease)));
    return objects.length === BATCH_MAX;
  }

  async #sync(context: TenantContext, object: GoogleObject, lease: Lease): Promise<void> {
    const { token } = lease;
    let account: GoogleAccount | undefined;
    try {
      account = await googleAccountOf(context);
      const api = claimedApi(context, new GoogleApi(context.runtime, account, lease.signal), {
        token,
        passId: object.passId,
      });
      const sending: Sending = { context, api, account, token };
      const pass = await findPass(context, object.passId);
      if (lease.isOver) return;
      if (object.isErased || pass === undefined) return await eraseObject(sending, object);
      await syncObject(sending, await asQueued(context, object), pass);
    } catch (error) {
      const failure = failureOf(error);
      if (failure === undefined || lease.isOver) throw error;
      await noteFailure({ context, token, ...(account && { account }) }, object, failure);
    }
  }

  async #renew(leases: ReadonlySet<Lease>): Promise<void> {
    const tokens = [...leases].map(({ token }) => token);
    await systemCall(this.#runtime, OP).transaction((tx) =>
      renewObjects(tx, tokens, LEASE_SECONDS),
    );
  }
}

/** One that was not queued may have been since it was claimed, by the change that was just read. */
async function asQueued(context: TenantContext, object: GoogleObject): Promise<GoogleObject> {
  if (object.state !== "sent") return object;
  const now = await findObject(context, object.passId);
  return now === undefined ? object : { ...object, state: now.state };
}

async function findPass(context: TenantContext, passId: string): Promise<Pass | undefined> {
  try {
    return await getPass(context, passId);
  } catch (error) {
    if (error instanceof ProblemError && error.code === passNotFound.code) return undefined;
    throw error;
  }
}

/**
 * A tenant without a usable account is treated like one whose account Google refuses, and a pass
 * without a template like one that Google refuses. Undefined if a repetition may succeed.
 */
function failureOf(error: unknown): GoogleFailure | undefined {
  if (!(error instanceof ProblemError) || error.status >= 500) return undefined;
  const kind = error.code === googleNotConfigured.code ? "denied" : "refused";
  return { kind, message: error.message };
}
