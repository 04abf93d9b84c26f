import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import fc from "fast-check";
import {
  type Answered,
  Model,
  type Step,
  step,
  type Terms,
  UNITS,
} from "#test/support/ledger-model.ts";
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
 *   I11 what can be redeemed once has 1 or 0
 */

const api = await startApi({ after }, { env: { ROLES: "api" } });
const stage = await openPrivilegeStage(api, "acme");
const rivals = await openPrivilegeStage(api, "rival");

const shown = (all: number) => all / UNITS;
const inUnits = (all: number) => Math.round(all * UNITS);
let keys = 0;

async function run(pass: StagedPass, model: Model, next: Step): Promise<void> {
  switch (next.kind) {
    case "create":
    case "put":
      return await write(pass, model, next);
    case "retype":
      return await retype(pass, model, next);
    case "delete":
      return await remove(pass, model, next.id);
    case "reverse":
      return await undo(pass, model, next.pick);
    case "rush":
      return await rush(pass, model, next);
    case "keyed":
      return await keyed(pass, model, next);
    case "clash":
      return await clash(pass, model, next);
    case "move":
      return await move(pass, model, next);
  }
}

type Of<Kind extends Step["kind"]> = Extract<Step, { kind: Kind }>;

const bodyOf = ({ type, value }: Terms) => ({
  type,
  maximum: 10,
  value: value === null ? null : shown(value),
});

async function write(pass: StagedPass, model: Model, next: Of<"create" | "put">): Promise<void> {
  const known = model.privileges.get(next.id);
  const answer =
    next.kind === "put"
      ? await pass.put(next.id, bodyOf(next))
      : await pass.create({ privilegeId: next.id, ...bodyOf(next) });
  if (known !== undefined && next.kind === "create") return assert.equal(answer.status, 409);
  assert.equal(answer.status, known === undefined ? 201 : 200, answer.text);
  model.write(next.id, next);
  assert.equal(answer.body.status, model.privileges.get(next.id)?.status);
}

/** Another type, and the value that it has. */
async function retype(pass: StagedPass, model: Model, next: Of<"retype">): Promise<void> {
  const { id: name, type } = next;
  const known = model.privileges.get(name);
  const answer = await pass.put(name, { type, maximum: 10 });
  const expected = known === undefined ? 201 : known.retypeAnswer(type);
  assert.equal(answer.status, expected, answer.text);
  if (expected < 300) model.write(name, { type, value: known?.value ?? null });
}

/** The movement that comes next in its ledger. */
function took(model: Model, name: string, step: number, answered: Answered, isUndo = false): void {
  assert.equal(answered.sequence, model.raise(name), "I7");
  note(model, name, step, answered, isUndo);
}

function note(model: Model, name: string, step: number, answered: Answered, isUndo = false): void {
  const known = model.privileges.get(name);
  assert.ok(known !== undefined, "a movement of nothing");
  known.move(step, answered, isUndo);
  const line = known.lines.at(-1);
  if (line !== undefined) model.lines.push(Object.assign(line, { of: known, id: name }));
}

async function move(pass: StagedPass, model: Model, next: Of<"move">): Promise<void> {
  const known = model.privileges.get(next.id);
  const expects = next.expects && known?.counts === true;
  const body = {
    value: shown(next.by),
    ...(expects ? { expectedValue: shown(known.total) } : {}),
  };
  const answer = await pass.move(next.id, body);
  if (known === undefined) return assert.equal(answer.status, 404);
  assert.equal(answer.status, known.answer(next.by), answer.text);
  if (answer.status !== 201) return;
  took(model, next.id, next.by, answer.body);
  const { valueAfter } = answer.body;
  assert.equal(valueAfter === null ? null : inUnits(valueAfter), known.value);
}

/** With one key, at the same time and once more: one movement, and one answer for all. */
async function keyed(pass: StagedPass, model: Model, next: Of<"keyed">): Promise<void> {
  const known = model.privileges.get(next.id);
  keys += 1;
  const headers = { "idempotency-key": `k${keys}` };
  const send = () => pass.move(next.id, { value: shown(next.by) }, { headers });
  const together = await Promise.all(Array.from({ length: next.count }, send));
  // Whoever waited too long for the first answer is told so, and may ask again.
  const answers = together.filter(({ body }) => body.code !== "idempotency.still-running");
  answers.push(await send());
  const expected = known?.answer(next.by) ?? 404;
  for (const { status, text } of answers) assert.equal(status, expected, text);
  if (expected !== 201) return;
  const [first] = answers;
  assert.ok(first !== undefined);
  for (const { text } of answers) assert.equal(text, first.text, "I3");
  took(model, next.id, next.by, first.body);
}

/** As many succeed as if they had come one after the other: their order makes no difference. */
async function rush(pass: StagedPass, model: Model, next: Of<"rush">): Promise<void> {
  const { id: name, by: size } = next;
  const known = model.privileges.get(name);
  const sent = Array.from({ length: next.count }, () => pass.move(name, { value: shown(size) }));
  for (const { status, body, text } of inOrder(await Promise.all(sent))) {
    assert.equal(status, known?.answer(size) ?? 404, text);
    if (status === 201) took(model, name, size, body);
  }
}

type Answers = Awaited<ReturnType<StagedPass["move"]>>[];

function inOrder(answers: Answers): Answers {
  const place = ({ body }: Answers[number]) => body.sequence ?? Number.POSITIVE_INFINITY;
  return answers.toSorted((one, other) => (place(one) < place(other) ? -1 : 1));
}

/**
 * A privilege is created, changed or deleted while movements come. Their order is not known, so the
 * model takes the value that is left; that it is the sum of the ledger, the database says at the end.
 */
async function clash(pass: StagedPass, model: Model, next: Of<"clash">): Promise<void> {
  const { id: name, door } = next;
  const known = model.privileges.get(name);
  const given = {
    type: known?.type ?? next.type,
    value: next.type === known?.type ? next.value : null,
  };
  const write = {
    create: () => pass.create({ privilegeId: name, ...bodyOf(given) }),
    put: () => pass.put(name, bodyOf(given)),
    delete: () => pass.delete(name),
  };
  const sizes = [next.by, -next.by, next.by, -next.by];
  const [other, ...answers] = await Promise.all([
    write[door](),
    ...sizes.map((size) => pass.move(name, { value: shown(size) })),
  ]);
  const isDone = other.status < 300;
  const wanted = { create: known ? 409 : 201, put: known ? 200 : 201, delete: known ? 204 : 404 };
  assert.equal(other.status, wanted[door], other.text);
  for (const { status, text } of answers) assert.ok([201, 400, 404, 409].includes(status), text);
  if (isDone && known === undefined) model.write(name, given);

  const moved = answers.filter(({ status }) => status === 201);
  const now = model.privileges.get(name);
  for (const { body } of inOrder(moved)) note(model, name, inUnits(body.value), body);
  const { sequence, total } = await ledgerEnd(pass, name);
  const others = sequence - model.sequence(name) - moved.length;
  assert.ok(others === 0 || (others === 1 && isDone && known !== undefined), "I10");
  model.sequences.set(name, sequence);
  if (door === "delete") model.privileges.delete(name);
  else if (now !== undefined) {
    const { body } = await pass.get(name);
    now.total = total;
    now.value = body.value === null ? null : inUnits(body.value);
    assert.equal(body.status, now.status);
  }
}

async function ledgerEnd(pass: StagedPass, name: string) {
  const [row] = await api.sql(
    `select coalesce(max(sequence), 0) as sequence, coalesce(sum(value), 0)::float as total
       from movement where pass_id = $1 and privilege_id = $2`,
    [pass.id, name],
  );
  return { sequence: Number(row?.sequence), total: inUnits(Number(row?.total)) };
}

async function undo(pass: StagedPass, model: Model, pick: number): Promise<void> {
  const line = model.lines[pick % Math.max(1, model.lines.length)];
  if (line === undefined) return;
  const known = model.privileges.get(line.id);
  // Two at once: at most one of them undoes it.
  const answers = await Promise.all([1, 2].map(() => pass.reverse(line.id, line.movementId)));
  const statuses = answers.map(({ status }) => status).sort();
  if (known === undefined) return assert.deepEqual(statuses, [404, 404]);
  if (line.undone || line.isUndo || line.of !== known || !known.may(-line.by, true)) {
    return assert.deepEqual(statuses, [409, 409]);
  }
  assert.deepEqual(statuses, [201, 409]);
  line.undone = true;
  const made = answers.find(({ status }) => status === 201);
  took(model, line.id, -line.by, made?.body, true);
  assert.equal((await pass.get(line.id)).body.status, known.status);
}

async function remove(pass: StagedPass, model: Model, name: string): Promise<void> {
  const known = model.privileges.get(name);
  const { status } = await pass.delete(name);
  assert.equal(status, known === undefined ? 404 : 204);
  if ((known?.total ?? 0) !== 0) model.raise(name);
  model.privileges.delete(name);
}

/** What the database says of a pass, in exact arithmetic of its own. */
async function checkLedger(pass: StagedPass, model: Model): Promise<void> {
  const rows = await api.sql(
    `select count(*)::int as count,
            count(distinct id)::int as ids,
            bool_and(sequence = place) as gapless,
            bool_and(value_after is null or type_then = 'Unlimited'
                     or value_after between 0 and 10) as bounded,
            bool_and(value_after is null or type_then <> 'OneTime'
                     or value_after in (0, 1)) as once,
            bool_and(value_after is null or value_after = running) as exact,
            count(*) filter (where told = 1)::int as told
       from (select *, row_number() over of_privilege as place,
                    sum(value) over (of_privilege rows unbounded preceding) as running,
                    (select count(*) from event
                      where event.tenant_id = movement.tenant_id and event.name = 'privilege.moved'
                        and event.data ->> 'movementId' = movement.id
                        and (event.data ->> 'valueAfter')::numeric is not distinct from value_after) as told,
                    (select event.data -> 'privilege' ->> 'type' from event
                      where event.tenant_id = movement.tenant_id and event.name = 'privilege.moved'
                        and event.data ->> 'movementId' = movement.id limit 1) as type_then
               from movement where pass_id = $1 and privilege_id in ('a', 'b')
             window of_privilege as (partition by privilege_id order by sequence)) as line`,
    [pass.id],
  );
  const { count, ids, gapless, bounded, once, exact, told } = rows[0] ?? {};
  const { count: all } = model;
  assert.deepEqual([count, ids, told], [all, all, all], "I5 I8 I10");
  const isRight = [gapless, bounded, once, exact];
  if (all > 0) assert.deepEqual(isRight, [true, true, true, true], "I2 I7 I9 I11");
  const events = (await pass.eventNames()).filter((name) => name === "privilege.moved");
  assert.equal(events.length, all, "I8");
  const sums = await api.sql(
    `select sum(movement.value) = coalesce(privilege.total, 0)
            and (privilege.value is null or privilege.value = privilege.total) as right
       from movement left join privilege
         on (movement.tenant_id, movement.pass_id, movement.privilege_id)
          = (privilege.tenant_id, privilege.pass_id, privilege.id)
      where movement.pass_id = $1 and movement.privilege_id in ('a', 'b')
      group by movement.privilege_id, privilege.value, privilege.total`,
    [pass.id],
  );
  for (const { right } of sums) assert.equal(right, true, "I1");
  for (const [name, { value: expected, status }] of model.privileges) {
    const { body } = await pass.get(name);
    assert.equal(body.value === null ? null : inUnits(body.value), expected, "I1");
    assert.equal(body.status, status);
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
      { numRuns: 40 },
    );
    assert.ok(lines > 30, "the sequences did something");
    assert.equal(await theirs.value("a"), 7, "I6");
    assert.equal((await theirs.movements("a")).body.length, 1, "I6");
  });
});
