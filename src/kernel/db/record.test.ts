import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { difference, type Members, presenter, type ShownMembers } from "../members.ts";
import { defineRecord } from "./record.ts";
import { compileSql, sql } from "./sql.ts";

type Card = {
  readonly id: string;
  readonly tags: Readonly<Record<string, unknown>>;
  readonly endsAt: Date | null;
  readonly version: number;
};
type CardView = { id: string; labels: Record<string, unknown>; end: string | null };

const MEMBERS = {
  id: { column: "id", type: "text", written: "insert", shownAs: "id" },
  tags: { column: "tags", type: "jsonb", written: "always", shownAs: "labels" },
  endsAt: { column: "ends_at", type: "timestamptz", written: "always", shownAs: "end" },
  version: { column: "version", type: "integer", written: "update", shownAs: null },
} as const satisfies ShownMembers<Card, CardView>;

const record = defineRecord<Card, typeof MEMBERS>(MEMBERS);
const CARD: Card = { id: "c1", tags: { a: 1 }, endsAt: new Date(0), version: 3 };

describe("a record", () => {
  it("selects every member under its own name", () => {
    assert.equal(compileSql(record.columns).text, 'id, tags, ends_at as "endsAt", version');
  });

  it("inserts and updates what its table says, each value cast", () => {
    const inserted = sql`insert (${record.insertColumns}) values (${record.insertValues(CARD)})`;
    const { text, values } = compileSql(inserted);
    assert.equal(text, "insert (id, tags, ends_at) values ($1::text, $2::jsonb, $3::timestamptz)");
    assert.deepEqual(values.slice(0, 2), ["c1", '{"a":1}']);
    assert.equal(
      compileSql(record.assignments({ ...CARD, endsAt: null })).text,
      "tags = $1::jsonb, ends_at = $2::timestamptz, version = $3::integer",
    );
  });

  it("updates many rows from one value", () => {
    const { text, values } = compileSql(
      sql`set ${record.changedAssignments} from ${record.changed([CARD])}`,
    );
    assert.equal(
      text,
      "set tags = changed.tags, ends_at = changed.ends_at, version = changed.version from " +
        "jsonb_to_recordset($1::jsonb) as changed (id text, tags jsonb, ends_at timestamptz, version integer)",
    );
    assert.deepEqual(JSON.parse(String(values[0])), [
      { id: "c1", tags: { a: 1 }, ends_at: "1970-01-01T00:00:00.000Z", version: 3 },
    ]);
  });

  it("gives the same text for each call, so that a connection parses it once", () => {
    const name = () => compileSql(sql`values (${record.insertValues(CARD)})`).name;
    assert.equal(name(), name());
    assert.equal(record.insertValues(CARD).strings, record.insertValues(CARD).strings);
  });

  it("shows what its table shows, in copies", () => {
    const view = presenter<Card, CardView, typeof MEMBERS>(MEMBERS)(CARD);
    assert.deepEqual(view, { id: "c1", labels: { a: 1 }, end: "1970-01-01T00:00:00.000Z" });
    assert.notEqual(view.labels, CARD.tags);
  });

  it("differs by what an update writes, except for what is named", () => {
    const differ = difference<Card, typeof MEMBERS>(MEMBERS, { except: ["version"] });
    assert.equal(differ(CARD, { ...CARD, tags: { a: 1 }, endsAt: new Date(0), version: 4 }), false);
    assert.equal(differ(CARD, { ...CARD, tags: { a: 2 } }), true);
    assert.equal(differ(CARD, { ...CARD, endsAt: null }), true);
  });

  it("does not compile where a member and its entry do not fit", () => {
    const { version: _version, ...others } = MEMBERS;
    // @ts-expect-error: a member of the row has no entry.
    others satisfies Members<Card>;
    // @ts-expect-error: an entry is no member of the row.
    ({ ...MEMBERS, nickname: MEMBERS.id }) satisfies Members<Card>;
    // @ts-expect-error: the column cannot hold the member.
    ({ ...MEMBERS, version: { ...MEMBERS.version, type: "text" } }) satisfies Members<Card>;
    // @ts-expect-error: a shown member is given by none of the row.
    presenter<Card, CardView & { nickname: string }, typeof MEMBERS>(MEMBERS);
    assert.ok(others);
  });
});
