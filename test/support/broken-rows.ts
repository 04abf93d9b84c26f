import type { TestApi } from "./start-api.ts";

/**
 * Has the database fail when it inserts a pass whose `firstName` is `Odd`, with these SQL states, one
 * after the other; a pass is inserted where the state is empty and when none is left. Counts how often
 * such a pass was tried. The failures of past transactions count too: a sequence is never rolled back.
 */
export async function breakOddRows(api: Pick<TestApi, "sql">, states: readonly string[]) {
  await api.sql(`
    create sequence odd_tries;
    create function break_odd() returns trigger language plpgsql security definer as $$
      declare
        state text;
      begin
        if new.data ->> 'firstName' is distinct from 'Odd' then return new; end if;
        state := (array['${states.join("','")}']::text[])[nextval('odd_tries')];
        if coalesce(state, '') <> '' then raise exception 'odd' using errcode = state; end if;
        return new;
      end $$;
    create trigger break_odd before insert on pass for each row execute function break_odd()
  `);
  return {
    tries: async () => {
      const [row] = await api.sql("select last_value::int as tries from odd_tries");
      return row?.tries;
    },
    mend: () => api.sql("drop function break_odd cascade; drop sequence odd_tries"),
  };
}
