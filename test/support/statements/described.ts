import type { Client, Query } from "pg";
import type { Field } from "#kernel/db/wire.ts";

export type DescribedColumn = {
  readonly name: string;
  /** `pg_type.oid`. */
  readonly typeId: number;
};

type Wire = {
  parse(config: { name: string; text: string }): void;
  describe(config: { type: "S"; name: string }): void;
  sync(): void;
};

/** The columns that a statement would give. The server reads it against the schema and does not run it. */
export function describeStatement(client: Client, text: string): Promise<DescribedColumn[]> {
  return new Promise((resolve, reject) => {
    const columns: DescribedColumn[] = [];
    const query = {
      name: "",
      callback: reject,
      submit(wire: Wire): null {
        wire.parse({ name: "", text });
        wire.describe({ type: "S", name: "" });
        wire.sync();
        return null;
      },
      handleRowDescription({ fields }: { fields: readonly Field[] }): void {
        columns.push(...fields.map(({ name, dataTypeID }) => ({ name, typeId: dataTypeID })));
      },
      handleError: (error: Error) => reject(error),
      handleReadyForQuery: () => resolve(columns),
    };
    client.query(query as unknown as Query);
  });
}
