import { isSameJson } from "./json.ts";

/**
 * The members of a record in one table, from which follow its SQL (`db/record.ts`), its
 * presentation and what counts as a change. A missing or superfluous entry does not compile.
 */
export type Members<Row> = { readonly [Name in keyof Row]-?: Member<Row[Name]> };

export type Member<Value = unknown> = {
  readonly column: string;
  readonly type: SqlTypeOf<Exclude<Value, null>>;
  readonly written: Written;
};

/**
 * When the service writes a member from its copy of the row. `never` is for members that a default,
 * a trigger or a separate statement writes.
 */
export type Written = "insert" | "update" | "always" | "never";

/** The column types for which the driver returns values of this type. */
type SqlTypeOf<Value> = unknown extends Value
  ? SqlType
  : Value extends string
    ? "text"
    : Value extends number
      ? "integer"
      : Value extends boolean
        ? "boolean"
        : Value extends Date
          ? "timestamptz"
          : Value extends Buffer
            ? "bytea"
            : Value extends readonly string[]
              ? "text[]"
              : "jsonb";

export type SqlType = "text" | "integer" | "boolean" | "timestamptz" | "bytea" | "text[]" | "jsonb";

/**
 * The same table for a record that callers see: each member has the name under which it is shown,
 * or null if it is internal. If the shown value has another type, `show` converts it.
 */
export type ShownMembers<Row, Shown> = {
  readonly [Name in keyof Row]-?: Member<Row[Name]> & ShownMember<Row[Name], Shown>;
};

type ShownMember<Value, Shown> =
  | { readonly shownAs: null }
  | {
      [As in keyof Shown]-?: ShownValue<Value> extends Shown[As]
        ? { readonly shownAs: As; readonly show?: never }
        : { readonly shownAs: As; show(value: Value): Shown[As] };
    }[keyof Shown];

/** The type of a shown value, unless its member has a `show` function. */
type ShownValue<Value> = Value extends Date ? string : Value;

type AnyShownMember = Member & {
  readonly shownAs: PropertyKey | null;
  readonly show?: ((value: never) => unknown) | undefined;
};

/** Members of the shown record that no member of the row provides. */
type Unshown<Table extends Readonly<Record<keyof Table, AnyShownMember>>, Shown> = Exclude<
  keyof Shown,
  Table[keyof Table]["shownAs"]
>;

/**
 * Makes the function that shows a record, in the order of its table. A missing member does not
 * compile.
 */
export function presenter<Row, Shown, Table extends Readonly<Record<keyof Row, AnyShownMember>>>(
  members: Table & ([Unshown<Table, Shown>] extends [never] ? unknown : Unshown<Table, Shown>),
): (row: Row) => Shown {
  const table: Readonly<Record<string, AnyShownMember>> = members;
  const shown = Object.entries(table).flatMap(([name, { shownAs, type, show }]) =>
    shownAs === null ? [] : [{ name: name as keyof Row, shownAs, show: show ?? SHOW[type] }],
  );
  return (row) => {
    const view: Record<PropertyKey, unknown> = {};
    for (const { name, shownAs, show } of shown) view[shownAs] = show(row[name] as never);
    return view as Shown;
  };
}

const asItIs = (value: unknown) => value;

/** Lists and objects are copied, so that a change of the shown value does not change the record. */
const SHOW: Readonly<Record<SqlType, (value: never) => unknown>> = {
  text: asItIs,
  integer: asItIs,
  boolean: asItIs,
  timestamptz: (value: Date | null) => value?.toISOString() ?? null,
  bytea: asItIs,
  "text[]": (value: readonly string[] | null) => value && [...value],
  jsonb: (value: object | null) => value && { ...value },
};

/** The names of the members that an insert or an update writes from the row. */
export type NamesWritten<Row, Table extends Members<Row>, By extends "insert" | "update"> = {
  [Name in keyof Row]: Table[Name]["written"] extends By | "always" ? Name : never;
}[keyof Row];

/**
 * Makes the function that says whether two states of a record differ in a member that an update
 * writes. New members are included automatically; members to ignore are named.
 */
export function difference<
  Row,
  Table extends Members<Row>,
  Updated extends NamesWritten<Row, Table, "update"> = NamesWritten<Row, Table, "update">,
>(
  members: Table,
  { except = [] }: { readonly except?: readonly Updated[] } = {},
): (left: Pick<Row, Updated>, right: Pick<Row, Updated>) => boolean {
  const compared = entriesOf<Row>(members).flatMap(([name, { type, written }]) => {
    const updated = name as Updated;
    const counts = isWritten(written, "update") && !except.includes(updated);
    return counts ? [{ name: updated, isSame: SAME[type] }] : [];
  });
  return (left, right) =>
    compared.some(({ name, isSame }) => !isSame(left[name] as never, right[name] as never));
}

const SAME: Readonly<Record<SqlType, (left: never, right: never) => boolean>> = {
  text: Object.is,
  integer: Object.is,
  boolean: Object.is,
  timestamptz: (left: Date | null, right: Date | null) => left?.getTime() === right?.getTime(),
  bytea: (left: Buffer | null, right: Buffer | null) =>
    left === right || (left !== null && right !== null && left.equals(right)),
  "text[]": isSameJson,
  jsonb: isSameJson,
};

export function isWritten(written: Written, by: "insert" | "update"): boolean {
  return written === "always" || written === by;
}

export function entriesOf<Row>(members: Members<Row>): [keyof Row & string, Member][] {
  return Object.entries(members) as [keyof Row & string, Member][];
}
