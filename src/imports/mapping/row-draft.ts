import type { Decimal } from "#kernel/decimal.ts";
import { quoteExcerpt } from "#kernel/excerpt.ts";
import { IDENTIFIER_LENGTH_MAX } from "#src/customers/public.ts";
import { closest } from "#src/files/public.ts";
import type { DataSchema } from "#src/templates/language/public.ts";
import { IMPORT_ACTIONS, type ImportAction, type PlainTarget } from "../import.schema.ts";
import {
  type Reading,
  readData,
  readIdentifier,
  readMoment,
  readText,
  readValue,
  type Writing,
} from "./cell.ts";
import type { ColumnNames, MappedType, MappingGround, RefusedRow, RowWish } from "./row-wish.ts";
import type { Target } from "./target.ts";

const PROBLEMS_MAX = 3;
const WORD_CHARS_MAX = 64;
const CONTENT_CHARS_MAX = 500;
const TITLE_CHARS_MAX = 100;
/** Every row may name another type, and comparing names takes long. */
const COMPARED_MAX = 20;

type Place = { readonly row: number; readonly line: number };
type Value = { readonly column: string; readonly value: unknown };
type Named = Value & { readonly name: string };

/** What was found in one row, before the pass type says what it is. */
export class RowDraft {
  readonly #ground: MappingGround;
  readonly #place: Place;
  readonly #columns: ColumnNames;
  readonly #plain: Partial<Record<PlainTarget, Value>> = {};
  readonly #identifiers: Record<string, string | null> = {};
  readonly #data: Named[] = [];
  readonly #privileges: Named[] = [];
  readonly #problems: string[] = [];

  constructor(ground: MappingGround, { row, line }: Place, columns: ColumnNames) {
    this.#ground = ground;
    this.#place = { row, line };
    this.#columns = columns;
  }

  /** Takes the value of one column; null if it is to be deleted. */
  take(target: Target, column: string, value: unknown): void {
    switch (target.kind) {
      case "identifier":
        this.#identifiers[target.name] =
          value === null
            ? null
            : (this.#read(column, readIdentifier(value, IDENTIFIER_LENGTH_MAX)) ?? null);
        return;
      case "data":
        this.#data.push({ name: target.name, column, value });
        return;
      case "privilege":
        if (value !== null) this.#privileges.push({ name: target.name, column, value });
        return;
      default:
        this.#plain[target.kind] = { column, value };
    }
  }

  refuse(problem: string): void {
    if (this.#problems.length < PROBLEMS_MAX) this.#problems.push(problem);
  }

  finish(): RowWish | RefusedRow {
    const action = this.#action();
    const passId = this.#word("passId");
    const passType = this.#passType(action, passId);
    const type = passType === undefined ? undefined : this.#ground.types.find(passType);
    const keys = keysOf(this.#identifiers, type?.rules.unique ?? []);
    if (passId === undefined && Object.keys(keys).length === 0) this.refuse(NOBODY);
    const isUnknown = passType !== undefined && type === undefined;
    const contents = isUnknown ? NO_CONTENTS : this.#contents(action, type);
    if (this.#problems.length > 0) return this.#refused(passId, isUnknown ? undefined : passType);
    const identifiers = this.#identifiers;
    const columns = this.#columns;
    return { ...this.#place, passType, action, passId, keys, identifiers, ...contents, columns };
  }

  #contents(action: ImportAction, type: MappedType | undefined): Contents {
    const change = isChange(action);
    const writing = {
      hasDecimalComma: this.#ground.mapping.decimalComma === true,
      timeZone: (type ?? this.#anyType())?.tenant.timeZone ?? "UTC",
    };
    return {
      additionalData: change ? this.#dataBy(type, writing) : {},
      privileges: change ? this.#privilegesBy(writing) : NO_PRIVILEGES,
      ...(change ? this.#expiration(writing) : {}),
      ...(change ? this.#status() : {}),
      ...(change || action === "notify" ? this.#notification(action) : {}),
    };
  }

  /** All of them are of the same tenant. */
  #anyType(): MappedType | undefined {
    const { types } = this.#ground;
    const [name] = types.names;
    return name === undefined ? undefined : types.find(name);
  }

  #dataBy(type: MappedType | undefined, writing: Writing): Record<string, unknown> {
    const schemas = (type?.rules.data as DataSchema | undefined)?.properties ?? {};
    const data: Record<string, unknown> = {};
    for (const { name, column, value } of this.#data) {
      const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
      data[name] = value === null ? null : this.#read(column, readData(value, schema, writing));
    }
    return data;
  }

  #privilegesBy(writing: Writing): ReadonlyMap<string, Decimal> {
    if (this.#privileges.length === 0) return NO_PRIVILEGES;
    const privileges = new Map<string, Decimal>();
    for (const { name, column, value } of this.#privileges) {
      const decimal = this.#read(column, readValue(value, writing));
      if (decimal !== undefined) privileges.set(name, decimal);
    }
    return privileges;
  }

  #expiration(writing: Writing): Pick<Contents, "expirationDate"> {
    const { column, value } = this.#plain.expirationDate ?? {};
    if (column === undefined) return {};
    if (value === null) return { expirationDate: null };
    const moment = this.#read(column, readMoment(value, writing));
    return moment === undefined ? {} : { expirationDate: moment };
  }

  #status(): Pick<Contents, "status"> {
    const status = this.#word("status")?.toLowerCase();
    if (status === undefined) return {};
    if (status === "active" || status === "disabled") return { status };
    // It follows from the time. Exports have it, and may be imported again.
    if (status === "expired") return {};
    this.refuse(
      `Column ${this.#nameOf("status")}: ${quoteExcerpt(status)} is neither 'active' nor 'disabled'.`,
    );
    return {};
  }

  #notification(action: ImportAction): Pick<Contents, "notification"> {
    const content = this.#word("notification.content", CONTENT_CHARS_MAX);
    const title = this.#word("notification.title", TITLE_CHARS_MAX);
    if (content !== undefined) {
      return { notification: title === undefined ? { content } : { title, content } };
    }
    if (action === "notify") this.refuse(NO_CONTENT);
    return {};
  }

  #action(): ImportAction {
    const sent = this.#word("action");
    if (sent === undefined) return this.#ground.mapping.action ?? "upsert";
    const action = IMPORT_ACTIONS.find((name) => name === sent.toLowerCase());
    if (action !== undefined) return action;
    const actions = IMPORT_ACTIONS.join(", ");
    this.refuse(
      `Column ${this.#nameOf("action")}: ${quoteExcerpt(sent)} is not one of ${actions}.`,
    );
    return "upsert";
  }

  /**
   * A tenant that has one template only need not name it, nor need a row that creates no pass, unless
   * it sets values whose type only the template knows.
   */
  #passType(action: ImportAction, passId: string | undefined): string | undefined {
    const { types, mapping } = this.#ground;
    const only = types.names.length === 1 ? types.names[0] : undefined;
    const passType = this.#word("passType") ?? mapping.passType ?? only;
    if (passType === undefined) {
      if (action === "upsert" && passId === undefined) this.refuse(NO_TYPE);
      else if (isChange(action) && this.#data.length > 0) this.refuse(NO_TYPE_OF_DATA);
    } else if (types.find(passType) === undefined) {
      const meant = closest(passType, types.names.slice(0, COMPARED_MAX));
      const hint = meant === undefined ? "" : ` Did you mean '${meant}'?`;
      this.refuse(`There is no pass type ${quoteExcerpt(passType)}.${hint}`);
    }
    return passType;
  }

  /** A text that says how the row is meant; undefined if there is none. */
  #word(kind: PlainTarget, charsMax = WORD_CHARS_MAX): string | undefined {
    const { column, value } = this.#plain[kind] ?? {};
    if (column === undefined || value === null || value === "") return undefined;
    return this.#read(column, readText(value, charsMax));
  }

  #nameOf(kind: PlainTarget): string {
    return quoteExcerpt(this.#plain[kind]?.column ?? kind);
  }

  #read<Result>(column: string, reading: Reading<Result>): Result | undefined {
    if (reading.ok) return reading.value;
    this.refuse(`Column ${quoteExcerpt(column)}: ${reading.problem}.`);
    return undefined;
  }

  #refused(passId: string | undefined, passType: string | undefined): RefusedRow {
    return {
      ...this.#place,
      passId,
      passType,
      identifiers: present(this.#identifiers),
      problem: this.#problems.join(" "),
    };
  }
}

type Contents = Pick<
  RowWish,
  "additionalData" | "privileges" | "expirationDate" | "status" | "notification"
>;
const NO_PRIVILEGES: ReadonlyMap<string, Decimal> = new Map();
const NO_CONTENTS: Contents = { additionalData: {}, privileges: NO_PRIVILEGES };

const NOBODY = "This row does not say whose pass it is: it has neither a passId nor an identifier.";
const NO_CONTENT = "This row is to send a message, but 'notification.content' is empty.";
const NO_TYPE_OF_DATA =
  "This row sets values of additionalData, so it must say of which type the pass is. Add a column 'passType', or set 'passType' in server/import.yml.";
const NO_TYPE =
  "This row does not say of which type the pass is. Add a column 'passType', or set 'passType' in server/import.yml.";

function isChange(action: ImportAction): boolean {
  return action === "upsert" || action === "update";
}

function keysOf(
  identifiers: Readonly<Record<string, string | null>>,
  unique: readonly string[],
): Record<string, string> {
  const keys: Record<string, string> = {};
  for (const name of unique) {
    const value = identifiers[name];
    if (typeof value === "string") keys[name] = value;
  }
  return Object.keys(keys).length > 0 ? keys : present(identifiers);
}

function present(identifiers: Readonly<Record<string, string | null>>): Record<string, string> {
  const there: Record<string, string> = {};
  for (const name of Object.keys(identifiers)) {
    const value = identifiers[name];
    if (typeof value === "string") there[name] = value;
  }
  return there;
}
