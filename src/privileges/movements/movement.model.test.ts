import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import fc from "fast-check";
import { openPrivilegeStage, type StagedPass } from "#test/support/privilege-stage.ts";
import { startApi } from "#test/support/start-api.ts";

/*
 * Any sequence of operations, some of them at the same time and some of them sent twice, gives the
 * answers and the ledger of a plain model. The model is written from the contract alone, counts in
 * ten-thousandths, and uses no code of the service. After each sequence the database itself is asked:
 *
 *   I1  the value is the sum of the movements        I6  another tenant's sums stay as they are
 *   I2  no value after any movement is out of bounds I7  sequences have no gap, and rise
 *   I3  one key makes one movement                   I8  each movement has one event, each event one
 *   I4  no movement is changed or deleted            I9  sums are exact
 *   I5  ids are unique, and their answers stay       I10 no operation loses a movement
 */

const api = await startApi({ after }, { env: { ROLES: "api" } });
const stage = await openPrivilegeStage(api, "acme");
const rivals = await openPrivilegeStage(api, "rival");

const UNITS = 10_000;
const MAXIMUM = 10 * UNITS;

type Step =
  | { readonly kind: "create" | "put"; readonly id: string; readonly value: number | null }
  | { readonly kind: "move"; readonly id: string; readonly by: number; readonly expects?: boolean }
  | { readonly kind: "twice"; readonly id: string; readonly by: number }
  | { readonly kind: "rush"; readonly id: string; readonly by: number; readonly count: number }
  | { readonly kind: "reverse"; readonly pick: number }
  | { readonly kind: "delete"; readonly id: string };

const id = fc.constantFrom("a", "b");
const units = fc.integer({ min: -6 * UNITS, max: 6 * UNITS }).filter((value) => value !== 0);
const value = fc.option(fc.integer({ min: 0, max: 10 * UNITS }));
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom("create" as const, "put" as const), id, value }),
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("move" as const),
      id,
      by: units,
      expects: fc.boolean(),
    }),
  },
  fc.record({ kind: fc.constant("twice" as const), id, by: units }),
  fc.record({
    kind: fc.constant("rush" as const),
    id,
    by: units,
    count: fc.integer({ min: 2, max: 6 }),
  }),
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("reverse" as const), pick: fc.nat({ max: 9 }) }),
  },
  fc.record({ kind: fc.constant("delete" as const), id }),
);

type Known = { value: number | null };
type Line = {
  readonly movementId: string;
  readonly id: string;
  readonly by: number;
  life: number;
  undone: boolean;
  isUndo: boolean;
};

class Model {
  readonly privileges = new Map<string, Known>();
  readonly lives = new Map<string, number>();
  /** Movements that answers told of. */
  readonly lines: Line[] = [];
  /** All movements that must be in the ledger. */
  count = 0;

  may(known: Known, by: number): boolean {
    const next = (known.value ?? 0) + by;
    return by < 0 ? next >= 0 : next <= MAXIMUM;
  }

  move(name: string, known: Known, by: number, movementId: string, isUndo = false): void {
    known.value = (known.value ?? 0) + by;
    this.count += 1;
    const life = this.lives.get(name) ?? 0;
    this.lines.push({ movementId, id: name, by, life, undone: false, isUndo });
  }
}

const shown = (all: number) => all / UNITS;
const inUnits = (all: number) => Math.round(all * UNITS);
let keys = 0;

async function run(pass: StagedPass, model: Model, next: Step): Promise<void> {
  switch (next.kind) {
    case "create":
    case "put":
      return await write(pass, model, next);
    case "delete":
      return await remove(pass, model, next.id);
    case "reverse":
      return await undo(pass, model, next.pick);
    case "rush":
      return await rush(pass, model, next);
    default:
      return await move(pass, model, next);
  }
}

async function write(
  pass: StagedPass,
  model: Model,
  { kind, id: name, value: wanted }: Extract<Step, { kind: "create" | "put" }>,
): Promise<void> {
  const known = model.privileges.get(name);
  const body = { type: "MultiUse", maximum: 10, value: wanted === null ? null : shown(wanted) };
  const answer =
    kind === "put" ? await pass.put(name, body) : await pass.create({ privilegeId: name, ...body });
  if (known !== undefined && kind === "create") return assert.equal(answer.status, 409);
  assert.equal(answer.status, known === undefined ? 201 : 200, answer.text);
  if ((wanted ?? 0) !== (known?.value ?? 0)) model.count += 1;
  if (known === undefined) model.lives.set(name, (model.lives.get(name) ?? 0) + 1);
  model.privileges.set(name, { value: wanted });
}

async function move(
  pass: StagedPass,
  model: Model,
  next: Extract<Step, { kind: "move" | "twice" }>,
): Promise<void> {
  const known = model.privileges.get(next.id);
  keys += 1;
  const expected = next.kind === "move" && next.expects === true;
  const body = {
    value: shown(next.by),
    ...(expected ? { expectedValue: shown(known?.value ?? 0) } : {}),
  };
  const headers: Record<string, string> =
    next.kind === "twice" ? { "idempotency-key": `k${keys}` } : {};
  const answer = await pass.move(next.id, body, { headers });
  if (known === undefined) return assert.equal(answer.status, 404);
  if (!model.may(known, next.by)) return assert.equal(answer.status, 409, answer.text);
  assert.equal(answer.status, 201, answer.text);
  model.move(next.id, known, next.by, answer.body.movementId);
  assert.equal(inUnits(answer.body.valueAfter), known.value);
  if (next.kind === "move") return;
  const again = await pass.move(next.id, body, { headers });
  assert.deepEqual([again.status, again.text], [201, answer.text]);
}

/** As many succeed as if they had come one after the other: their order makes no difference. */
async function rush(
  pass: StagedPass,
  model: Model,
  { id: name, by, count }: Extract<Step, { kind: "rush" }>,
): Promise<void> {
  const known = model.privileges.get(name);
  const sent = Array.from({ length: count }, () => pass.move(name, { value: shown(by) }));
  const answers = await Promise.all(sent);
  for (const { status, body, text } of answers.toSorted((a, b) => a.status - b.status)) {
    if (known === undefined) assert.equal(status, 404);
    else if (!model.may(known, by)) assert.equal(status, 409, text);
    else {
      assert.equal(status, 201, text);
      model.move(name, known, by, body.movementId);
    }
  }
}

async function undo(pass: StagedPass, model: Model, pick: number): Promise<void> {
  const line = model.lines[pick % Math.max(1, model.lines.length)];
  if (line === undefined) return;
  const known = model.privileges.get(line.id);
  // Two at once: at most one of them undoes it.
  const answers = await Promise.all([1, 2].map(() => pass.reverse(line.id, line.movementId)));
  const statuses = answers.map(({ status }) => status).sort();
  if (known === undefined) return assert.deepEqual(statuses, [404, 404]);
  const isLater = line.life !== model.lives.get(line.id);
  if (line.undone || line.isUndo || isLater || !model.may(known, -line.by)) {
    return assert.deepEqual(statuses, [409, 409]);
  }
  assert.deepEqual(statuses, [201, 409]);
  line.undone = true;
  const made = answers.find(({ status }) => status === 201);
  model.move(line.id, known, -line.by, made?.body.movementId, true);
}

async function remove(pass: StagedPass, model: Model, name: string): Promise<void> {
  const known = model.privileges.get(name);
  const { status } = await pass.delete(name);
  assert.equal(status, known === undefined ? 404 : 204);
  if ((known?.value ?? 0) !== 0) model.count += 1;
  model.privileges.delete(name);
}

/** What the database says of a pass, in exact arithmetic of its own. */
async function checkLedger(pass: StagedPass, model: Model): Promise<void> {
  const rows = await api.sql(
    `select count(*)::int as count,
            count(distinct id)::int as ids,
            bool_and(sequence = place) as gapless,
            bool_and(value_after is null or value_after between 0 and 10) as bounded,
            bool_and(value_after is null or value_after = running) as exact,
            count(*) filter (where told = 1)::int as told
       from (select *, row_number() over of_privilege as place,
                    sum(value) over (of_privilege rows unbounded preceding) as running,
                    (select count(*) from event
                      where event.tenant_id = movement.tenant_id and event.name = 'privilege.moved'
                        and event.data ->> 'movementId' = movement.id
                        and (event.data ->> 'valueAfter')::numeric is not distinct from value_after) as told
               from movement where pass_id = $1 and privilege_id in ('a', 'b')
             window of_privilege as (partition by privilege_id order by sequence)) as line`,
    [pass.id],
  );
  const { count, ids, gapless, bounded, exact, told } = rows[0] ?? {};
  const { count: all } = model;
  assert.deepEqual([count, ids, told], [all, all, all], "I5 I8 I10");
  if (all > 0) assert.deepEqual([gapless, bounded, exact], [true, true, true], "I2 I7 I9");
  const events = (await pass.eventNames()).filter((name) => name === "privilege.moved");
  assert.equal(events.length, all, "I8");
  const sums = await api.sql(
    `select coalesce(sum(movement.value), 0) = coalesce(privilege.value, 0) as right
       from privilege left join movement
         on (movement.tenant_id, movement.pass_id, movement.privilege_id)
          = (privilege.tenant_id, privilege.pass_id, privilege.id)
      where privilege.pass_id = $1
      group by privilege.id, privilege.value`,
    [pass.id],
  );
  for (const { right } of sums) assert.equal(right, true, "I1");
  for (const [name, { value: expected }] of model.privileges) {
    const { body } = await pass.get(name);
    assert.equal(body.value === null ? null : inUnits(body.value), expected, "I1");
  }
}

describe("privileges and their ledgers", () => {
  it("property: are as the model says, whatever is done in whatever order", async () => {
    const theirs = await rivals.pass();
    await theirs.having({ privilegeId: "a", type: "MultiUse", value: 7 });
    let lines = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 18 }), async (steps) => {
        const [pass, model] = [await stage.pass(), new Model()];
        for (const next of steps) await run(pass, model, next);
        await checkLedger(pass, model);
        lines += model.count;
      }),
      { numRuns: 30 },
    );
    assert.ok(lines > 30, "the sequences did something");
    assert.equal(await theirs.value("a"), 7, "I6");
    assert.equal((await theirs.movements("a")).body.length, 1, "I6");
  });
});
