import { unguarded } from "#kernel/csv.ts";
import { digitsOf } from "#kernel/exact-number.ts";
import { quoteExcerpt } from "#kernel/excerpt.ts";
import { isObject } from "#kernel/json.ts";
import type { CellRow, Header, ObjectRow } from "../rows/source-row.ts";
import { type ColumnPlan, planColumns, Suggestions, TargetFinder } from "./column-plan.ts";
import { RowDraft } from "./row-draft.ts";
import type { ColumnNames, Mapper, MappingGround, RefusedRow, RowWish } from "./row-wish.ts";
import { keyOf, type Target } from "./target.ts";

/** Makes a mapper for the rows of one file. */
export function createMapper(ground: MappingGround): Mapper {
  const finder = new TargetFinder(ground.mapping);
  const cells = new CellMapper(ground, finder);
  const objects = new ObjectMapper(ground, finder);
  return {
    checkHeader: (header) => cells.plan(header),
    wish(row) {
      if (row.kind === "cells") return cells.wish(row);
      if (row.kind === "object") return objects.wish(row);
      return { row: row.row, line: row.line, identifiers: {}, problem: row.problem };
    },
  };
}

class CellMapper {
  readonly #ground: MappingGround;
  readonly #finder: TargetFinder;
  #header: Header | undefined;
  #plan: ColumnPlan = [];
  #columns: ColumnNames = new Map();

  constructor(ground: MappingGround, finder: TargetFinder) {
    this.#ground = ground;
    this.#finder = finder;
  }

  plan(header: Header): void {
    if (header === this.#header) return;
    this.#plan = planColumns(header.columns, this.#finder, this.#ground);
    this.#columns = new Map(this.#plan.map(({ column, target }) => [keyOf(target), column]));
    this.#header = header;
  }

  wish(row: CellRow): RowWish | RefusedRow {
    this.plan(row.header);
    const draft = new RowDraft(this.#ground, row, this.#columns);
    const isCleared = this.#ground.mapping.emptyCells === "clear";
    let at = 0;
    for (const { column, target } of this.#plan) {
      const text = (row.cells[at] ?? "").trim();
      at += 1;
      if (target.kind === "ignore") continue;
      if (text !== "") draft.take(target, column, unguarded(text));
      else if (isCleared) draft.take(target, column, null);
    }
    return draft.finish();
  }
}

class ObjectMapper {
  readonly #ground: MappingGround;
  readonly #finder: TargetFinder;
  readonly #suggestions: Suggestions;

  constructor(ground: MappingGround, finder: TargetFinder) {
    this.#ground = ground;
    this.#finder = finder;
    this.#suggestions = new Suggestions(ground);
  }

  wish(row: ObjectRow): RowWish | RefusedRow {
    const filledBy = new Map<string, string>();
    const draft = new RowDraft(this.#ground, row, filledBy);
    for (const { column, target, value } of this.#membersOf(row.value, "")) {
      if (target === undefined) {
        const meant = this.#suggestions.for(column);
        const hint = meant === undefined ? "" : ` Did you mean '${meant}'?`;
        draft.refuse(`The member ${quoteExcerpt(column)} means nothing here.${hint}`);
      } else if (target.kind !== "ignore") {
        const other = filledBy.get(keyOf(target));
        if (other !== undefined) {
          draft.refuse(
            `The members ${quoteExcerpt(other)} and ${quoteExcerpt(column)} fill the same value.`,
          );
        }
        filledBy.set(keyOf(target), column);
        draft.take(target, column, value);
      }
    }
    return draft.finish();
  }

  /** The members that mean something, by the names of their columns: `identifiers.crm.id`. */
  *#membersOf(value: Readonly<Record<string, unknown>>, within: string): Generator<Member> {
    for (const [name, member] of Object.entries(value)) {
      const column = within === "" ? name : `${within}.${name}`;
      const target = this.#targetOf(column, name, within);
      const isGroup = isObject(member) && digitsOf(member) === undefined;
      if (isGroup && (target === undefined || target.kind === "identifier")) {
        yield* this.#membersOf(member, column);
      } else {
        yield { column, target, value: member };
      }
    }
  }

  /** What a pass holds may have any name, also one that could not be the name of a column. */
  #targetOf(column: string, name: string, within: string): Target | undefined {
    const found = this.#finder.find(column);
    return found === undefined && within === "additionalData" ? { kind: "data", name } : found;
  }
}

type Member = {
  readonly column: string;
  readonly target: Target | undefined;
  readonly value: unknown;
};
