import type { TestApi } from "./start-api.ts";

/**
 * Lets no identifier into the table, and shows no holder either: as if somebody took each one just
 * before, and gave it up just after. Returns the function that ends this.
 */
export async function contestIdentifiers(
  api: Pick<TestApi, "sql">,
  table: "customer_identifier" | "pass_identifier",
): Promise<() => Promise<void>> {
  await api.sql(`
    create function contest() returns trigger language plpgsql as $$ begin return null; end $$;
    create trigger contest before insert on ${table} for each row execute function contest()
  `);
  return async () => void (await api.sql("drop function contest cascade"));
}
