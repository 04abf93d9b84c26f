import { systemCall } from "#kernel/call.ts";
import type { TenantContext } from "#kernel/context.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { isTenantNotFound } from "#kernel/tenant.errors.ts";
import type { Lease } from "#kernel/work/lease.ts";
import { WorkLoop } from "#kernel/work/work-loop.ts";
import { connectors } from "../connectors.ts";
import { findConnection } from "../settings/connection.service.ts";
import { INBOX_HINT } from "./inbox.signal.ts";
import * as claims from "./inbox-claim.repository.ts";
import { type ActiveConnector, workOnDelivery } from "./inbox-work.service.ts";

const OP = "inbox.work";
const TENANTS_AT_ONCE = 4;
const BATCH = 16;
/** Of one tenant; the others of its batch wait for them. */
const AT_ONCE = 4;
const SWEEP_MS = 2_000;
const FINISH_MS = 20_000;

type Batch = {
  readonly context: TenantContext;
  readonly active: ReadonlyMap<string, ActiveConnector>;
  readonly deliveries: readonly claims.ClaimedDelivery[];
};

/**
 * Works on what vendors have sent, in every worker process. Tenants take turns, so that a vendor that
 * sends much holds up nobody else. Of one subject only one delivery is worked on at a time.
 */
export class InboxEngine {
  readonly #runtime: Runtime;
  readonly #loop: WorkLoop<Batch>;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#loop = new WorkLoop<Batch>(
      {
        name: OP,
        groupsAtOnceMax: TENANTS_AT_ONCE,
        leaseSeconds: claims.LEASE_SECONDS,
        finishMs: FINISH_MS,
        hint: INBOX_HINT,
        noteHint: (tenantId) => tenantId,
        sweepMs: SWEEP_MS,
        sweep: () => claims.listTenantsWithDeliveries(systemCall(runtime, OP)),
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

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #claim(tenantId: string, lease: Lease): Promise<Batch | undefined> {
    const context = systemCall(this.#runtime, OP, { tenantId });
    const active = await this.#activeConnectors(context);
    if (active.size === 0) return undefined;
    lease.begin();
    const deliveries = await context.transaction((tx) =>
      claims.claimDeliveries(tx, lease.token, [...active.keys()], BATCH),
    );
    return deliveries.length === 0 ? undefined : { context, active, deliveries };
  }

  /** Deliveries of a connector that is switched off wait until it is on again. */
  async #activeConnectors(context: TenantContext): Promise<Map<string, ActiveConnector>> {
    const active = new Map<string, ActiveConnector>();
    try {
      for (const connector of connectors) {
        if (connector.inbound === undefined) continue;
        const connection = await findConnection(context, connector);
        if (connection !== undefined) active.set(connector.name, { connector, connection });
      }
    } catch (error) {
      if (isTenantNotFound(error)) return new Map();
      throw error;
    }
    return active;
  }

  /** Returns true, because the next of the same subjects may be worked on now. */
  async #work({ context, active, deliveries }: Batch, lease: Lease): Promise<boolean> {
    const { tenantId } = context;
    const waiting = [...deliveries].sort((left, right) => (left.id < right.id ? -1 : 1));
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const used = active.get(next.connector);
        if (lease.isOver || used === undefined) return;
        await workOnDelivery(this.#runtime, tenantId, used, next, lease.token, lease.signal);
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, waiting.length) }, work));
    if (lease.end === "stopped") {
      await context.transaction((tx) => claims.releaseClaims(tx, lease.token));
    }
    return true;
  }

  async #renew(leases: ReadonlySet<Lease>): Promise<void> {
    const tokens = [...leases].map(({ token }) => token);
    await systemCall(this.#runtime, OP).transaction((tx) => claims.renewClaims(tx, tokens));
  }
}
