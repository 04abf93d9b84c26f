import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import fc from "fast-check";
import { systemCall } from "#kernel/call.ts";
import { finishedJob } from "#test/support/jobs.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { expirePasses } from "./pass.jobs.ts";
import type { PassResource } from "./pass.schema.ts";
import { UpdateEngine } from "./updates/update.engine.ts";

/*
 * Any sequence of operations gives the records and the events of a plain model. The model is
 * written from the contract alone and uses no code of the service.
 */

const api = await startApi({ after }, { env: { ROLES: "api" } });
const key = api.operatorKey;
await seedPassTenant(api, "acme");
// Only this part of a worker runs, because passes must expire only when the sequence says so.
const engine = new UpdateEngine(api.runtime);
engine.start();
after(() => engine.stop());

type Data = Readonly<Record<string, string | number>>;
type Model = {
  status: "active" | "disabled" | "expired";
  data: Data;
  /**
   * When the pass expires: null for never, or a word if the template or the test itself sets the
   * time.
   */
  time: string | null;
  isOver: boolean;
  version: number;
  events: Told[];
};
/** The members that are compared with events and answers. */
type Shown = Pick<Model, "status" | "data" | "time" | "version">;
type Told = { readonly name: string; readonly data: Shown; readonly previous: Shown | null };

type Step =
  | { readonly kind: "create"; readonly pass: number; readonly data: Data }
  | { readonly kind: "upsert"; readonly pass: number; readonly data: Data }
  | {
      readonly kind: "update";
      readonly pass: number;
      readonly isQueued?: boolean;
      readonly data: Readonly<Record<string, string | number | null>>;
      readonly status?: "active" | "disabled" | undefined;
      /** Undefined if the change leaves the time as it is. */
      readonly time?: string | null | undefined;
    }
  | { readonly kind: "elapse"; readonly pass: number }
  | { readonly kind: "delete"; readonly pass: number }
  | { readonly kind: "expire" };

const PAST = ["2001-01-01T00:00:00.000Z", "2002-01-01T00:00:00.000Z"];
const FUTURE = ["2101-01-01T00:00:00.000Z", "2102-01-01T00:00:00.000Z"];
const NAMES = ["a", "b", "points"];
const value = fc.oneof(fc.constantFrom("x", "y", ""), fc.integer({ min: -2, max: 2 }));
const data = fc.dictionary(fc.constantFrom("a", "b"), value, { maxKeys: 2 });
/** The template refuses numbers below 0. */
const points = fc.option(fc.integer({ min: -1, max: 2 }), { nil: undefined });
const pass = fc.nat({ max: 2 });

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("create" as const), pass, data }),
  fc
    .record({ kind: fc.constant("upsert" as const), pass, data, points })
    .map(({ points: wanted, data: members, ...others }) => ({
      ...others,
      data: wanted === undefined ? members : { ...members, points: wanted },
    })),
  {
    weight: 4,
    arbitrary: fc
      .record({
        kind: fc.constant("update" as const),
        pass,
        isQueued: fc.boolean(),
        data: fc.dictionary(fc.constantFrom("a", "b"), fc.option(value), { maxKeys: 2 }),
        points,
        status: fc.option(fc.constantFrom("active" as const, "disabled" as const), {
          nil: undefined,
        }),
        time: fc.constantFrom(undefined, undefined, ...PAST, ...FUTURE, null),
      })
      .map(({ points: wanted, data: members, ...others }) => ({
        ...others,
        data: wanted === undefined ? members : { ...members, points: wanted },
      })),
  },
  fc.record({ kind: fc.constant("elapse" as const), pass }),
  fc.record({ kind: fc.constant("delete" as const), pass }),
  fc.record({ kind: fc.constant("expire" as const) }),
);

/** The result of each step by the contract; undefined if it is refused. */
function advance(known: Model | undefined, wanted: Step): Model | undefined {
  if (wanted.kind === "create") return known ?? create(wanted.data);
  if (wanted.kind === "upsert") {
    if (known !== undefined) return change(known, { ...wanted, kind: "update" });
    return Number(wanted.data.points ?? 0) < 0 ? undefined : create(wanted.data);
  }
  if (known === undefined || wanted.kind === "delete") return undefined;
  if (wanted.kind === "elapse") {
    return known.status === "active" ? { ...known, time: "elapsed", isOver: true } : known;
  }
  if (wanted.kind === "expire") {
    if (known.status !== "active" || !known.isOver) return known;
    const next = { ...known, status: "expired" as const, version: known.version + 1 };
    return { ...next, events: [...known.events, told("pass.expired", next, known)] };
  }
  // A request without anything to change is refused, also for a pass whose time is over.
  const { data: members, status, time } = wanted;
  const isEmpty = Object.keys(members).length === 0 && status === undefined && time === undefined;
  return isEmpty ? known : change(known, wanted);
}

function create(members: Data): Model {
  const made = { status: "active", data: members, time: "template", version: 1 } as const;
  return { ...made, isOver: false, events: [told("pass.created", made, null)] };
}

function told(name: string, data: Shown, previous: Shown | null): Told {
  return { name, data: shownOf(data), previous: previous && shownOf(previous) };
}

function shownOf({ status, data: members, time, version }: Shown): Shown {
  return { status, data: members, time, version };
}

function change(known: Model, wanted: Extract<Step, { kind: "update" }>): Model {
  const merged = new Map<string, string | number>(Object.entries(known.data));
  for (const [name, sent] of Object.entries(wanted.data)) {
    if (sent === null) merged.delete(name);
    else merged.set(name, sent);
  }
  const after = Object.fromEntries(merged);
  if (Object.keys(wanted.data).length > 0 && Number(after.points ?? 0) < 0) return known;
  const time = wanted.time === undefined ? known.time : wanted.time;
  const isOver = wanted.time === undefined ? known.isOver : PAST.includes(wanted.time ?? "");
  if (isOver && wanted.status === "active") return known;
  const isDisabled =
    wanted.status === "disabled" || (wanted.status === undefined && known.status === "disabled");
  const status = isDisabled ? "disabled" : isOver ? "expired" : "active";
  const isSame = NAMES.every((name) => after[name] === known.data[name]) && time === known.time;
  const version = isSame && status === known.status ? known.version : known.version + 1;
  const next: Shown = { status, data: after, time, version };
  const events = [...known.events];
  if (!isSame) events.push(told("pass.updated", next, known));
  if (status !== known.status) {
    const names = { active: "pass.enabled", disabled: "pass.disabled", expired: "pass.expired" };
    events.push(told(names[status], next, known));
  }
  return { ...next, isOver, events };
}

type Real = { readonly id: string; readonly identifiers: Readonly<Record<string, string>> };

async function perform(real: Real | undefined, wanted: Step): Promise<Real | undefined> {
  if (wanted.kind === "create") return real ?? (await make(number(), wanted.data));
  if (wanted.kind === "upsert") return await make(real?.identifiers ?? number(), wanted.data, real);
  if (wanted.kind === "expire") {
    const call = systemCall(api.runtime, "pass.expire");
    await expirePasses.run(call, {}, new AbortController().signal);
    return real;
  }
  if (real === undefined) return undefined;
  const path = `/api/acme/passes/${real.id}`;
  if (wanted.kind === "delete") {
    assert.equal((await api.delete(path, { key })).status, 204);
    return undefined;
  }
  if (wanted.kind === "elapse") {
    await api.sql(
      `update pass set expires_at = now() - interval '1 second', has_own_expiry = true
        where id = $1 and status = 'active'`,
      [real.id],
    );
    return real;
  }
  const { status, time } = wanted;
  const body = {
    ...(Object.keys(wanted.data).length === 0 ? {} : { additionalData: wanted.data }),
    ...(status === undefined ? {} : { status }),
    ...(time === undefined ? {} : { expirationDate: time }),
  };
  const options = { BypassQueue: wanted.isQueued !== true };
  const sent = await api.patch(path, { key, body: { ...body, options } });
  assert.ok([200, 202, 400].includes(sent.status), sent.text);
  if (sent.status === 202) await finishedJob(api, "acme", sent.body.jobId);
  return real;
}

/** A pass that the template refuses is not created, and an existing one stays unchanged. */
async function make(
  identifiers: Real["identifiers"],
  members: Data,
  real?: Real,
): Promise<Real | undefined> {
  const path = "/api/acme/passes?passType=loyalty&onConflict=update";
  const body = { additionalData: { ...members, firstName: "Ada" }, identifiers };
  const { status, body: made, text } = await api.post(path, { key, body });
  if (Number(members.points ?? 0) < 0) {
    assert.equal(status, 400, text);
    return real;
  }
  assert.equal(status, real === undefined ? 201 : 200, text);
  return { id: made.id, identifiers };
}

let numbers = 0;
function number() {
  numbers += 1;
  return { "loyalty.number": `M${numbers}` };
}

async function eventsOf(id: string) {
  const text = "select name, data, previous from event where subject = $1 order by sequence";
  return (await api.sql(text, [id])) as {
    name: string;
    data: PassResource;
    previous: PassResource | null;
  }[];
}

/** If the model has only a word for a time, the word is compared instead of the time. */
function show(pass: PassResource, { time }: Shown): Shown {
  const { firstName: _, ...members } = pass.additionalData;
  const isWord = time === "template" || time === "elapsed";
  return {
    status: pass.status,
    data: members as Data,
    time: isWord ? time : pass.expirationDate,
    version: pass.version,
  };
}

describe("any sequence of create, upsert, update, disable, enable, expire and delete", () => {
  it("gives the records and events of a plain model", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const models: (Model | undefined)[] = [undefined, undefined, undefined];
        const reals: (Real | undefined)[] = [undefined, undefined, undefined];
        for (const wanted of steps) {
          for (const at of wanted.kind === "expire" ? [0, 1, 2] : [wanted.pass]) {
            const gone = wanted.kind === "delete" ? { model: models[at], real: reals[at] } : {};
            models[at] = advance(models[at], wanted);
            reals[at] = await perform(reals[at], wanted);
            if (gone.model !== undefined && gone.real !== undefined) {
              const names = [...gone.model.events.map(({ name }) => name), "pass.deleted"];
              const events = await eventsOf(gone.real.id);
              assert.deepEqual(
                events.map(({ name }) => name),
                names,
              );
            }
            await compare(models[at], reals[at]);
          }
        }
      }),
      { numRuns: 80 },
    );
  });
});

async function compare(model: Model | undefined, real: Real | undefined): Promise<void> {
  assert.equal(real === undefined, model === undefined);
  if (model === undefined || real === undefined) return;
  const { body } = await api.get(`/api/acme/passes/${real.id}`, { key });
  const plain = (shown: Shown) => ({ ...shown, data: { ...shown.data } });
  assert.deepEqual(show(body, model), plain(shownOf(model)));
  const events = await eventsOf(real.id);
  assert.deepEqual(
    events.map(({ name, data: now, previous }, at) => {
      const wanted = model.events[at];
      return (
        wanted && [
          name,
          show(now, wanted.data),
          previous && wanted.previous && show(previous, wanted.previous),
        ]
      );
    }),
    model.events.map(({ name, data: now, previous }) => [
      name,
      plain(now),
      previous && plain(previous),
    ]),
  );
}
