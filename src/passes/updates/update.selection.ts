import { setImmediate as nextTurn } from "node:timers/promises";
import { parseListQuery } from "#kernel/http/lists/list-query.ts";
import type { ListQuery, ListSpec } from "#kernel/http/lists/list-spec.ts";
import { type FieldErrors, noErrors } from "#kernel/http/validation.ts";
import { type PassRules, passProblems } from "../pass.rules.ts";
import { changeMembers, type PassChange } from "../pass.schema.ts";
import type { FilterSent, OwnUpdate, PassUpdateMany } from "./update.schema.ts";

type Identifiers = Readonly<Record<string, string>>;

/** Which passes to change, and how. */
export type WantedUpdates =
  | { readonly by: "passIds"; readonly passIds: readonly string[]; readonly change: PassChange }
  | {
      readonly by: "identifiers";
      readonly identifiers: readonly Identifiers[];
      readonly change: PassChange;
    }
  | { readonly by: "filter"; readonly list: ListQuery; readonly change: PassChange }
  | { readonly by: "updates"; readonly updates: readonly WantedUpdate[] };

export type WantedUpdate = {
  readonly target: { readonly passId: string } | { readonly identifiers: Identifiers };
  readonly change: PassChange;
};

export type ReadUpdates =
  | { readonly ok: true; readonly wanted: WantedUpdates }
  | { readonly ok: false; readonly errors: FieldErrors };

const SELECTIONS = ["passIds", "identifiers", "filter", "updates"] as const;
const MEMBERS = Object.keys(changeMembers) as (keyof PassChange)[];
/** The rules for passes of any type; the template has further rules. */
const ANY_TYPE: PassRules = { passType: "", required: [], unique: [], data: undefined };

/** The mistakes in a change that do not depend on the pass. */
export function changeErrors(change: PassChange, mayBeEmpty: boolean, at = ""): FieldErrors {
  const errors = noErrors();
  const place = (field: string) => (at === "" ? field : `${at}.${field}`);
  if (!mayBeEmpty && namesOf(change).length === 0) {
    errors[at === "" ? "additionalData" : at] = [
      `must change something: ${MEMBERS.join(", ")}, or ask for UpdateMetadata`,
    ];
  }
  const names = Object.keys(change.identifiers ?? {}).map((name) => [name, "-"] as const);
  const problems = passProblems(ANY_TYPE, Object.fromEntries(names), change.additionalData ?? {});
  for (const [field, messages] of Object.entries(problems ?? {})) errors[place(field)] = messages;
  return errors;
}

/** The names of the members that a change sets. */
export function namesOf(change: PassChange): string[] {
  return MEMBERS.flatMap((member) => {
    const value = change[member];
    if (value === undefined) return [];
    if (typeof value !== "object" || value === null) return [member];
    return Object.keys(value).map((name) => `${member}.${name}`);
  });
}

/** Reads exactly one selection with a valid change, or reports all mistakes. */
export async function readUpdates(body: PassUpdateMany, spec: ListSpec): Promise<ReadUpdates> {
  const errors = noErrors();
  const chosen = SELECTIONS.filter((name) => isSelection(body, name));
  const [by, ...others] = chosen;
  if (by === undefined) {
    errors.passIds = ["is required, or identifiers, filter or updates in its place"];
    return { ok: false, errors };
  }
  for (const other of others) errors[other] = [`cannot be combined with ${by}`];
  const mayBeEmpty = body.options?.UpdateMetadata === true;
  const wanted =
    by === "updates"
      ? await readOwn(body, mayBeEmpty, errors)
      : readShared(body, by, mayBeEmpty, errors, spec);
  if (Object.keys(errors).length > 0 || wanted === undefined) return { ok: false, errors };
  return { ok: true, wanted };
}

function isSelection(body: PassUpdateMany, name: (typeof SELECTIONS)[number]): boolean {
  return name === "identifiers" ? Array.isArray(body.identifiers) : body[name] !== undefined;
}

function readShared(
  body: PassUpdateMany,
  by: "passIds" | "identifiers" | "filter",
  mayBeEmpty: boolean,
  errors: FieldErrors,
  spec: ListSpec,
): WantedUpdates | undefined {
  const change = changeOf(body);
  Object.assign(errors, changeErrors(change, mayBeEmpty));
  if (by === "passIds") return { by, passIds: [...new Set(body.passIds)], change };
  if (by === "identifiers") {
    const sets = Array.isArray(body.identifiers) ? body.identifiers : [];
    for (const [at, set] of sets.entries()) addNameErrors(errors, `identifiers[${at}]`, set);
    return { by, identifiers: sets, change };
  }
  const list = readFilter(body.filter ?? [], spec, errors);
  return list === undefined ? undefined : { by, list, change };
}

/** Uses the rules of the list, so that names, operators and values are the same in both. */
function readFilter(
  filter: readonly FilterSent[],
  spec: ListSpec,
  errors: FieldErrors,
): ListQuery | undefined {
  const query = filter.flatMap(({ field, operator, value }, at) => [
    [`filter[${at}].field`, field],
    [`filter[${at}].operator`, operator],
    ...(value === undefined ? [] : [[`filter[${at}].value`, String(value)]]),
  ]);
  const read = parseListQuery(Object.fromEntries(query), spec);
  if (read.ok) return read.list;
  Object.assign(errors, read.errors);
  return undefined;
}

/** Yields to the event loop after so many updates, because measuring each one's text takes time. */
const READ_PER_TURN = 250;

async function readOwn(
  body: PassUpdateMany,
  mayBeEmpty: boolean,
  errors: FieldErrors,
): Promise<WantedUpdates> {
  for (const member of MEMBERS) {
    if (body[member] === undefined || errors[member] !== undefined) continue;
    errors[member] = ["belongs into each of updates"];
  }
  const updates: WantedUpdate[] = [];
  for (const [at, sent] of (body.updates ?? []).entries()) {
    if (at % READ_PER_TURN === READ_PER_TURN - 1) await nextTurn();
    updates.push(...readOne(sent, `updates[${at}]`, mayBeEmpty, errors));
  }
  return { by: "updates", updates };
}

function readOne(
  sent: OwnUpdate,
  at: string,
  mayBeEmpty: boolean,
  errors: FieldErrors,
): WantedUpdate[] {
  const { passId, identifiers, ...others } = sent;
  if (passId !== undefined) {
    const change = { ...others, identifiers };
    Object.assign(errors, changeErrors(change, mayBeEmpty, at));
    return [{ target: { passId }, change }];
  }
  if (identifiers === undefined || Object.keys(identifiers).length === 0) {
    errors[`${at}.passId`] = ["is required, or identifiers in its place"];
    return [];
  }
  for (const [name, value] of Object.entries(identifiers)) {
    if (value === null) errors[`${at}.identifiers.${name}`] = ["cannot be null to find a pass"];
  }
  addNameErrors(errors, `${at}.identifiers`, identifiers);
  Object.assign(errors, changeErrors(others, mayBeEmpty, at));
  return [{ target: { identifiers: identifiers as Identifiers }, change: others }];
}

function addNameErrors(errors: FieldErrors, at: string, set: Readonly<Record<string, unknown>>) {
  const names = Object.keys(set).map((name) => [name, "-"] as const);
  for (const [field, messages] of Object.entries(
    passProblems(ANY_TYPE, Object.fromEntries(names), {}) ?? {},
  )) {
    errors[`${at}${field.slice("identifiers".length)}`] = messages;
  }
}

/** Everything except the selection is the change, so a new member cannot be forgotten here. */
function changeOf(body: PassUpdateMany): PassChange {
  const { passIds: _p, filter: _f, updates: _u, options: _o, identifiers, ...others } = body;
  return { ...others, identifiers: Array.isArray(identifiers) ? undefined : identifiers };
}
