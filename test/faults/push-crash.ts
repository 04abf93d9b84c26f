import { createHash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { appleTokenOf } from "#src/wallets/apple/bundle/bundle.service.ts";
import { type ReceivedPush, startApns } from "#test/support/apns.ts";
import { createDevice } from "#test/support/apple-stage.ts";
import { expireClaims } from "#test/support/claims.ts";
import { insertedPassId, insertPasses } from "#test/support/factories.ts";
import { finishedJob } from "#test/support/jobs.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { makeDataDir, type Product, removeDataDir, startProduct } from "#test/support/product.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

/*
 * Kills the worker again and again while it tells one device for each of many passes of a change.
 * The push service and the API are other processes, and stay. Some devices come for the pass as soon
 * as they are told.
 */

export type PushCrashResult = {
  readonly devices: number;
  /** How many devices had been told at each kill. */
  readonly toldAtKill: readonly number[];
  readonly told: number;
  /** Further pushes to the same device. They are allowed: a device that is told twice asks twice. */
  readonly duplicates: number;
  /** The number of rows of the ledger, by state and by whether somebody still has a claim on it. */
  readonly ledger: Readonly<Record<string, number>>;
  readonly fetched: number;
  /** The number of passes, by how many `pass.update-delivered` they have. */
  readonly delivered: Readonly<Record<string, number>>;
};

const TENANT = "crashing";
const PASS_TYPE = `pass.dev.billfold.${TENANT}`;
const WAIT_MS = 180_000;
/** One device of so many fetches the pass when it is told. */
const FETCHES_EVERY = 50;

/** What devices are told of: a change of each pass, or a publication that concerns all of them. */
export type Change = "updates" | "publication";

type Owner = { after(undo: () => Promise<void>): void };

export async function runPushCrash(
  owner: Owner,
  devices: number,
  kills: number,
  change: Change,
): Promise<PushCrashResult> {
  const masterKey = randomBytes(32).toString("base64");
  const apns = await startApns(owner);
  const env = { MASTER_KEY: masterKey, APNS_URL: apns.service.url, SIMULATOR: "0" };
  const api = await startApi(owner, { env: { ...env, ROLES: "api" } });
  const dataDir = await makeDataDir();
  owner.after(() => removeDataDir(dataDir));
  const authority = join(dataDir, "authority.pem");
  await writeFile(authority, apns.service.authority);
  let worker: Product | undefined;
  owner.after(async () => void (await worker?.kill("SIGKILL")));
  const start = () =>
    startProduct({
      env: {
        ...env,
        DATABASE_URL: api.database.url,
        DATA_DIR: dataDir,
        ROLES: "worker",
        LOG_LEVEL: "error",
        NODE_EXTRA_CA_CERTS: authority,
      },
    });

  await fill(api, devices);
  const phones = createPhones(api);
  // The push service answers when all passes are changed, so that the kills hit the pushes.
  const { promise: isChanged, resolve: goOn } = Promise.withResolvers<void>();
  apns.answer(async (push) => {
    await isChanged;
    phones.tell(push);
    return { status: 200 };
  });
  worker = await start();
  if (change === "updates") await changeAll(api, devices);
  else await publish(api);
  goOn();

  const toldAtKill: number[] = [];
  for (let kill = 1; kill <= kills; kill += 1) {
    const wanted = Math.floor((devices * kill) / (kills + 1));
    await until(
      () => phones.told.size >= wanted,
      () => String(phones.told.size),
      WAIT_MS,
    );
    await worker.kill("SIGKILL");
    toldAtKill.push(phones.told.size);
    for (const table of ["apple_delivery", "apple_push_batch"]) {
      await expireClaims(api.sql, table);
    }
    // The last one is not killed: a node in this process takes no start of its own.
    if (kill < kills) worker = await start();
    else await api.node({ ROLES: "worker" }, { provides: [apns.provision] });
  }
  const waiting = `
    select from apple_delivery where state = 'queued' or claim is not null
     union all select from apple_fan_out
     union all select from apple_push_batch
     limit 1
  `;
  await until(async () => (await api.sql(waiting)).length === 0, undefined, WAIT_MS);
  await phones.settle();
  // What is fetched is noted after the answer.
  const noted = "select from apple_delivery where state = 'fetched'";
  await until(
    async () => (await api.sql(noted)).length >= phones.fetched,
    () => `not all of ${phones.fetched} fetches are noted`,
    WAIT_MS,
  );
  const told = phones.told.size;
  const pushes = [...phones.told.values()].reduce((sum, count) => sum + count, 0);
  const duplicates = pushes - told;
  return { devices, toldAtKill, told, duplicates, fetched: phones.fetched, ...(await count(api)) };
}

const deviceIdOf = (number: number) => `phone-${number}`;
const pushTokenOf = (number: number) => number.toString(16).padStart(64, "0");
const numberOf = (pushToken: string) => Number.parseInt(pushToken, 16);

/** One pass and one device each, as rows: ten thousand requests would take too long. */
async function fill(api: TestApi, devices: number): Promise<void> {
  await seedPassTenant(api, TENANT);
  await insertPasses(api, TENANT, devices, { passType: "coupon", data: { offer: "Tea" } });
  const installed = { status: "installed", installedAt: null, uninstalledAt: null, devices: 1 };
  await api.sql("update pass set providers = $2 where tenant_id = $1", [
    TENANT,
    { apple: installed },
  ]);
  await api.sql(
    `insert into apple_pass (tenant_id, pass_id, pass_type, revision, tag, modified_at)
     select tenant_id, id, pass_type, 1, 1, date_trunc('second', now()) from pass
      where tenant_id = $1`,
    [TENANT],
  );
  await api.sql("insert into apple_tag (tenant_id, tag) values ($1, 1)", [TENANT]);
  const numbers = Array.from({ length: devices }, (_, at) => at + 1);
  await api.sql(
    `with held as (
       select * from unnest($3::text[], $4::text[], $5::text[]) as held (pass_id, device_id, token)
     ), device as (
       insert into apple_device (tenant_id, device_id, pass_type_identifier, push_token, token_at)
       select $1, device_id, $2, token, now() from held
     )
     insert into apple_registration (tenant_id, pass_id, device_id, pass_type_identifier,
                                     registered_at)
     select $1, pass_id, device_id, $2, now() from held`,
    [
      TENANT,
      PASS_TYPE,
      numbers.map(insertedPassId),
      numbers.map(deviceIdOf),
      numbers.map(pushTokenOf),
    ],
  );
  // As the server does by itself after a while: without it, some statements read whole tables.
  await api.sql("analyze pass, apple_pass, apple_device, apple_registration");
}

async function changeAll(api: TestApi, passes: number): Promise<void> {
  const filter = [{ field: "additionalData.offer", operator: "equals", value: "Tea" }];
  const { status, body, text } = await api.patch(`/api/${TENANT}/passes`, {
    key: api.operatorKey,
    body: { filter, additionalData: { offer: "Coffee" } },
  });
  if (status !== 202 || body.matched !== passes) throw new Error(`Not accepted: ${text}`);
  await finishedJob(api, TENANT, body.jobId);
}

async function publish(api: TestApi): Promise<void> {
  const body = { files: { "locales/en.yml": "greeting: Hello\n" } };
  const { status, text } = await api.patch(`/api/tenants/${TENANT}`, {
    key: api.operatorKey,
    body,
  });
  if (status !== 200) throw new Error(`Not published: ${text}`);
}

/** The devices: they count what they are told, and some of them fetch, twice as devices may do. */
function createPhones(api: TestApi) {
  const told = new Map<string, number>();
  const fetches: Promise<void>[] = [];
  const service = { base: `/.well-known/wallet/${TENANT}/v1`, passType: PASS_TYPE };
  const counts = { fetched: 0 };

  async function fetchTwice(number: number): Promise<void> {
    const id = insertedPassId(number);
    const secret = createHash("md5").update(String(number)).digest("hex");
    const pass = { id, token: appleTokenOf({ secret }) };
    const device = createDevice(api, service, deviceIdOf(number));
    const { body } = await device.ask("1");
    if (body?.serialNumbers?.[0] !== id) throw new Error(`${number} learnt of no change.`);
    const answers = [await device.fetch(pass), await device.fetch(pass)];
    if (answers.some(({ status }) => status !== 200)) throw new Error(`${number} got no pass.`);
    counts.fetched += 1;
  }

  return {
    told,
    get fetched() {
      return counts.fetched;
    },
    tell({ token }: Pick<ReceivedPush, "token">): void {
      const before = told.get(token) ?? 0;
      told.set(token, before + 1);
      const number = numberOf(token);
      if (before > 0 || number % FETCHES_EVERY > 0) return;
      const fetching = fetchTwice(number);
      // `settle` says it, if the test comes so far: without this line it would be an error of no test.
      fetching.catch(() => undefined);
      fetches.push(fetching);
    },
    settle: () => Promise.all(fetches),
  };
}

async function count(api: TestApi): Promise<Pick<PushCrashResult, "ledger" | "delivered">> {
  const ledger = await api.sql(
    `select concat_ws(' ', state, case when claim is not null then 'claimed' end,
                      case when state = 'pushed' and pushes = 0 then 'without a push' end,
                      case when revision <> 2 then 'of another revision' end) as name,
            count(*)::int as count
       from apple_delivery where tenant_id = $1 group by 1`,
    [TENANT],
  );
  const delivered = await api.sql(
    `select told.count::text as name, count(*)::int as count
       from (select pass.id, count(event.id)
               from pass
               left join event on event.tenant_id = pass.tenant_id and event.subject = pass.id
                              and event.name = 'pass.update-delivered'
              where pass.tenant_id = $1
              group by pass.id) as told (id, count)
      group by told.count`,
    [TENANT],
  );
  const toRecord = (rows: Record<string, unknown>[]) =>
    Object.fromEntries(rows.map((row) => [String(row.name), Number(row.count)]));
  return { ledger: toRecord(ledger), delivered: toRecord(delivered) };
}
