import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { issueCertificate } from "#test/support/certificates.ts";
import { type AppleStage, type AppleTenant, openAppleStage } from "../support/apple-stage.ts";
import { defineLine } from "../support/line.ts";
import { scaled } from "../support/scale.ts";

const DEVICES = scaled(100_000);
/** What the product has under way for one certificate: two batches of a thousand. */
const SESSIONS = 2;
const STREAMS_PER_SESSION = 1_000;
const WAIT_MS_MAX = 120_000;
const POLL_MS = 5;

/**
 * One publication that every device must hear of, from the request until Apple has answered the last
 * push and the ledger says so. The baseline pushes as often to the same simulator, with as many
 * connections and requests at once, and writes nothing.
 */
export const pushFanOut = defineLine({
  name: "push fan-out",
  measures: { throughput: { unit: "pushes/s", bar: { of: "ratio", atLeast: 0.7 } } },
  rounds: 3,
  warmUpRounds: 1,
  async prepare(bench) {
    const stage = await openAppleStage(bench);
    const tenant = await stage.createTenant("fan-out", DEVICES);
    const bare = await bench.baseline("bare-pusher.ts");
    const topic = tenant.passTypeIdentifier;
    const { certificate, keyPem } = issueCertificate({ name: { UID: topic } });
    const body = JSON.stringify({
      url: stage.apnsUrl,
      authorityPem: stage.authorityPem,
      certificatePem: certificate,
      keyPem,
      topic,
      count: DEVICES,
      sessions: SESSIONS,
      streamsPerSession: STREAMS_PER_SESSION,
    });
    return {
      async ours() {
        await settle(stage.client, tenant);
        return {
          throughput: DEVICES / (await tellAll(stage, tenant, () => tenant.publishTexts())),
        };
      },
      baselines: {
        "bare HTTP/2 loop": async () => {
          const response = await fetch(bare.url, { method: "POST", body });
          if (response.status !== 200) throw new Error(await response.text());
          const { seconds } = (await response.json()) as { seconds: number };
          return { throughput: DEVICES / seconds };
        },
      },
    };
  },
});

/** As if all devices had fetched the last change; the ledger keeps no more than that one. */
export async function settle(client: Client, { tenantId }: AppleTenant): Promise<void> {
  await client.query("delete from apple_delivery where tenant_id = $1 and ended_at is not null", [
    tenantId,
  ]);
  await client.query(
    `update apple_delivery set state = 'fetched', ended_at = now(), next_push_at = null
      where tenant_id = $1`,
    [tenantId],
  );
  await client.query("vacuum (analyze) apple_delivery, apple_pass");
}

/** Publishes, and waits until every device was pushed to. Returns seconds. */
export async function tellAll(
  stage: AppleStage,
  tenant: AppleTenant,
  publish: () => Promise<void>,
): Promise<number> {
  const { client, apns } = stage;
  const { tenantId, passes } = tenant;
  const before = Number(await (await fetch(`${apns.url}/count`)).text());
  const signal = AbortSignal.timeout(WAIT_MS_MAX);
  const reached = fetch(`${apns.url}/reached/${before + passes.count}`, { signal });
  // Nobody waits for it if the publication fails; an error without a reader would end the whole run.
  reached.catch(() => undefined);
  const startedAt = performance.now();
  await publish();
  await (await reached).text();
  while (await isDue(client, tenantId)) {
    signal.throwIfAborted();
    await sleep(POLL_MS);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  await requirePushed(client, tenant);
  return seconds;
}

async function isDue(client: Client, tenantId: string): Promise<boolean> {
  const { rows } = await client.query(
    `select exists (select from apple_delivery where tenant_id = $1 and next_push_at <= now())
            or exists (select from apple_push_batch where tenant_id = $1) as due`,
    [tenantId],
  );
  return rows[0].due;
}

async function requirePushed(client: Client, { tenantId, passes }: AppleTenant): Promise<void> {
  const { rows } = await client.query(
    `select count(*)::int as count from apple_delivery
      where tenant_id = $1 and state = 'pushed' and pushes = 1 and last_status = 200`,
    [tenantId],
  );
  if (rows[0].count !== passes.count) {
    throw new Error(`The ledger has ${rows[0].count} of ${passes.count} pushes.`);
  }
}
