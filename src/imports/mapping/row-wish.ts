import type { Decimal } from "#kernel/decimal.ts";
import type { PassType } from "#src/passes/public.ts";
import type { ImportAction, ImportMapping } from "../import.schema.ts";
import type { Header, SourceRow } from "../rows/source-row.ts";

/** What the rows of one file mean: by `server/import.yml` and the templates in force. */
export type MappingGround = {
  readonly mapping: ImportMapping;
  readonly types: {
    readonly names: readonly string[];
    find(passType: string): MappedType | undefined;
  };
};

/** What a template says about the values of its passes. */
export type MappedType = {
  readonly rules: Pick<PassType["rules"], "required" | "unique" | "data">;
  readonly template: Pick<PassType["template"], "privileges">;
  readonly tenant: { readonly timeZone: string };
};

/**
 * What a row asks for. Members that the row leaves alone are not there; null deletes a member, as in
 * a change of a pass.
 */
export type RowWish = {
  readonly row: number;
  readonly line: number;
  /** Undefined if the pass is there already, and the row sets nothing whose type must be known. */
  readonly passType: string | undefined;
  readonly action: ImportAction;
  /** With an id, the pass is found by it alone. Otherwise there is at least one key. */
  readonly passId: string | undefined;
  /**
   * The identifiers by which the pass is found: those that the template declares unique, or all of
   * the row if it has none of them.
   */
  readonly keys: Readonly<Record<string, string>>;
  readonly identifiers: Readonly<Record<string, string | null>>;
  /** Values have the types that the template declares, but are not checked against its limits. */
  readonly additionalData: Readonly<Record<string, unknown>>;
  /** The value that each privilege is to have afterwards. */
  readonly privileges: ReadonlyMap<string, Decimal>;
  /** ISO 8601; null for never. */
  readonly expirationDate?: string | null;
  readonly status?: "active" | "disabled";
  readonly notification?: { readonly title?: string; readonly content: string };
  readonly columns: ColumnNames;
};

/** The columns of a file by what they fill, as `keyOf` names it; for sentences about its rows. */
export type ColumnNames = ReadonlyMap<string, string>;

/** A row that asks for nothing that can be done. */
export type RefusedRow = {
  readonly row: number;
  readonly line: number;
  /** As the row says it: there may be no such pass. */
  readonly passId?: string | undefined;
  /** Undefined also if there is no such type. */
  readonly passType?: string | undefined;
  /** As far as they can be read, for the log. */
  readonly identifiers: Readonly<Record<string, string>>;
  readonly problem: string;
};

export type Mapper = {
  /** For `readRows`. Throws `UnreadableFile` if the header has columns that mean nothing. */
  checkHeader(header: Header): void;
  wish(row: SourceRow): RowWish | RefusedRow;
};
