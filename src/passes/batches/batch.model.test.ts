import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { systemCall } from "#kernel/call.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";
import { passTypesOf } from "../pass.types.ts";
import { fulfilWishes } from "./batch.service.ts";
import type { PassWish } from "./batch.wish.ts";

const [SEQUENCES, WISHES_MAX] = [15, 14];

/** Few values, so that wishes meet. A number stands for the id of a pass that was made before. */
type Sketch = Omit<PassWish, "passId"> & { readonly made?: number | undefined };

const value = fc.constantFrom("1", "2", "3");
const identifiers = fc.oneof(
  fc.record({ "loyalty.number": value }),
  fc.record({ "loyalty.number": value, "crm.id": value }),
  fc.record({ "crm.id": fc.option(value) }),
  fc.record({ "event.id": value }),
);
const sketch: fc.Arbitrary<Sketch> = fc.record({
  action: fc.constantFrom("upsert", "upsert", "upsert", "update", "disable", "delete", "notify"),
  passType: fc.constantFrom("loyalty", "loyalty", "coupon"),
  identifiers,
  additionalData: fc.record({ firstName: fc.constantFrom("A", "B"), points: fc.nat(2) }),
  status: fc.constantFrom(undefined, undefined, "active" as const, "disabled" as const),
  made: fc.option(fc.nat(2), { nil: undefined, freq: 4 }),
  companions: fc.option(
    fc
      .constantFrom("0", "5", "-1")
      .map((points) => ({ privileges: new Map([["points", points]]) })),
    { nil: undefined },
  ),
});

function wishOf({ made, ...wish }: Sketch, ids: readonly string[]): PassWish {
  const notification = wish.action === "notify" ? { content: "Hello" } : undefined;
  const passId = made === undefined ? undefined : ids[made];
  const { companions, ...others } = wish;
  const isCard = wish.passType === "loyalty";
  return { ...others, passId, notification, ...(isCard ? { companions } : {}) };
}

describe("a batch of any wishes", () => {
  const api = shareApi();
  let count = 0;

  /** The batches of a sequence: all wishes in one, or each in one of its own. */
  async function run(sketches: readonly Sketch[], isTogether: boolean) {
    count += 1;
    const tenantId = `model-${count}`;
    await seedPassTenant(api(), tenantId);
    const context = systemCall(api().runtime, "test.batch", { tenantId });
    const types = await passTypesOf(context);
    const fulfil = (wishes: readonly PassWish[]) =>
      context.transaction((tx) => fulfilWishes(context, tx, types, wishes));
    const seeds = ["1", "2", "3"].map((number): PassWish => {
      const own = { "loyalty.number": number, "crm.id": number };
      const additionalData = { firstName: "A" };
      return { action: "upsert", passType: "loyalty", identifiers: own, additionalData };
    });
    const ids = (await fulfil(seeds)).map(({ passId }) => passId ?? "");
    const wishes = sketches.map((one) => wishOf(one, ids));
    const results = isTogether ? await fulfil(wishes) : [];
    if (!isTogether) for (const wish of wishes) results.push(...(await fulfil([wish])));
    const names = new Map(ids.map((id, at) => [id, `seed ${at}`]));
    const shown = results.map((one, at) => {
      if (one.result === "created") names.set(one.passId, `made by ${at}`);
      const message = one.result === "failed" ? one.problem.message : undefined;
      return [one.result, one.passId, message];
    });
    const told = await api().sql(
      `select subject, name, data -> 'version' as version, data -> 'value' as value from event
        where tenant_id = $1 and subject is not null
        order by subject, coalesce(data ->> 'version', '9'), name, sequence`,
      [tenantId],
    );
    const left = await api().sql(
      `select id, status, version, identifiers, data,
              (select value::text from privilege where tenant_id = $1 and pass_id = pass.id) as points,
              (select jsonb_object_agg(name, value order by name) from pass_identifier
                where tenant_id = $1 and pass_id = pass.id) as known
         from pass where tenant_id = $1 order by id`,
      [tenantId],
    );
    // Ids differ from run to run; what they are called does not.
    let text = JSON.stringify({ shown, left });
    for (const [id, name] of names) text = text.replaceAll(id, name);
    const events = told.map(({ subject, ...event }) => ({
      ...event,
      of: names.get(String(subject)),
    }));
    return { ...JSON.parse(text), events: byPass(events) };
  }

  it("does what its wishes do one by one", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(sketch, { maxLength: WISHES_MAX }), async (sketches) => {
        assert.deepEqual(await run(sketches, true), await run(sketches, false));
      }),
      { numRuns: SEQUENCES, endOnFailure: true },
    );
  });
});

function byPass(events: readonly { of: string | undefined }[]) {
  return Object.fromEntries(
    [...Map.groupBy(events, ({ of }) => of)].sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
  );
}
