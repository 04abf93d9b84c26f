import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import {
  type AppleStage,
  type AppleTenant,
  type HeldPass,
  openAppleStage,
} from "../support/apple-stage.ts";
import { defineLine } from "../support/line.ts";
import { scaled } from "../support/scale.ts";
import { settle, tellAll } from "./push-fan-out.ts";

const DEVICES = scaled(10_000);
const CONNECTIONS = 50;
const ANSWER_MS_MAX = 30_000;
const NOTED_MS_MAX = 30_000;
const LOOK_MS = 100;

/**
 * What follows a fan-out: every device asks which of its passes have changed, and fetches them. All
 * of them have, so each one is signed anew.
 */
export const passFetches = defineLine({
  name: "10,000 fetches after a fan-out",
  measures: {
    rate: { unit: "devices/s" },
    errors: { unit: "", bar: { of: "ours", below: 1 } },
    p99: { unit: "ms" },
  },
  rounds: 2,
  warmUpRounds: 1,
  async prepare(bench) {
    const stage = await openAppleStage(bench);
    const tenant = await stage.createTenant("fetches", DEVICES);
    const dispatcher = new Agent({ connections: CONNECTIONS, pipelining: 1 });
    bench.onClose(() => dispatcher.close());
    return {
      async ours() {
        await settle(stage.client, tenant);
        await tellAll(stage, tenant, () => tenant.publishTemplates());
        // HTTP dates have whole seconds, and what changes twice in one of them is dated ahead.
        await sleep(1_000);
        const sample = await fetchAll(stage, tenant, dispatcher);
        await requireFetched(stage, tenant);
        return sample;
      },
      baselines: {},
    };
  },
});

async function fetchAll({ url }: AppleStage, tenant: AppleTenant, dispatcher: Agent) {
  const times: number[] = [];
  let next = 0;
  let errors = 0;
  const startedAt = performance.now();
  const phone = async () => {
    for (let index = next++; index < DEVICES; index = next++) {
      const from = performance.now();
      const isServed = await followPush(url, tenant, tenant.held(index), dispatcher);
      if (!isServed) errors += 1;
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, phone));
  const rate = DEVICES / ((performance.now() - startedAt) / 1_000);
  times.sort((left, right) => left - right);
  return { rate, errors, p99: times[Math.floor(times.length * 0.99)] ?? 0 };
}

/** Whether the device got its pass. */
async function followPush(
  url: string,
  { tenantId, passTypeIdentifier }: AppleTenant,
  { passId, deviceId, token }: HeldPass,
  dispatcher: Agent,
): Promise<boolean> {
  const base = `${url}/.well-known/wallet/${tenantId}/v1`;
  const options = { dispatcher, headersTimeout: ANSWER_MS_MAX, bodyTimeout: ANSWER_MS_MAX };
  try {
    const list = `${base}/devices/${deviceId}/registrations/${passTypeIdentifier}`;
    const listed = await request(`${list}?passesUpdatedSince=1`, options);
    const changed = (await listed.body.json()) as { serialNumbers?: string[] };
    if (listed.statusCode !== 200 || changed.serialNumbers?.[0] !== passId) return false;
    const headers = { authorization: `ApplePass ${token}` };
    const pass = await request(`${base}/passes/${passTypeIdentifier}/${passId}`, {
      ...options,
      headers,
    });
    const { byteLength } = await pass.body.arrayBuffer();
    return pass.statusCode === 200 && byteLength > 1_000;
  } catch {
    return false;
  }
}

/** What arrived is noted after the answer has left. Looks at the change of this round alone. */
async function requireFetched({ client }: AppleStage, { tenantId }: AppleTenant): Promise<void> {
  const latest = performance.now() + NOTED_MS_MAX;
  for (;;) {
    const { rows } = await client.query(
      `select count(*)::int as count
         from apple_delivery join apple_pass using (tenant_id, pass_id, revision)
        where tenant_id = $1 and state = 'fetched'`,
      [tenantId],
    );
    const { count } = rows[0];
    if (count === DEVICES) return;
    if (performance.now() > latest) throw new Error(`The ledger has ${count} fetches.`);
    await sleep(LOOK_MS);
  }
}
