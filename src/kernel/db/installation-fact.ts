import type { SystemContext } from "../context.ts";
import { sql } from "./sql.ts";

export type InstallationFact = { readonly value: Buffer; readonly isNew: boolean };

/**
 * A fact that must be the same on every node, such as a key that is made once. If two nodes come at
 * the same time, the first insert wins and both read its value.
 */
export async function putIfAbsent(
  context: SystemContext,
  name: string,
  value: Buffer,
): Promise<InstallationFact> {
  const known = await findInstallationFact(context, name);
  if (known !== undefined) return { value: known, isNew: false };
  return await context.transaction(async (tx) => {
    const inserted = await tx.run(sql`
      insert into installation (name, value) values (${name}, ${value}) on conflict (name) do nothing
    `);
    const row = await tx.one(sql<{ value: Buffer }>`
      select value from installation where name = ${name}
    `);
    return { value: row.value, isNew: inserted === 1 };
  });
}

export async function findInstallationFact(
  context: SystemContext,
  name: string,
): Promise<Buffer | undefined> {
  const rows = await context.read(sql<{ value: Buffer }>`
    select value from installation where name = ${name}
  `);
  return rows[0]?.value;
}
