import type { TenantContext } from "#kernel/context.ts";
import { csvLine, textCell } from "#kernel/csv.ts";
import type { TaskKind } from "#src/scheduler/public.ts";
import { templatesOf } from "#src/templates/public.ts";
import type { Pass } from "../pass.schema.ts";
import { columnSources, defaultColumns, ownCell } from "./export.columns.ts";
import { findExisting, listPassesAfter } from "./export.repository.ts";

/** Passes that are read from the database, and held in memory, at once. */
const PASSES_AT_ONCE = 500;
const LOGGED_EVERY = 100_000;

/**
 * Writes passes into a CSV file, in the order of their creation. Each line is as its pass is when its
 * turn comes: passes that change meanwhile are not waited for.
 */
export const exportTask: TaskKind = {
  kind: "export",
  async run({ context, settings, signal, log, beginFile, addLines }) {
    const columns = settings.columns ?? (await columnsOf(context, settings.passType));
    const day = context.clock.now().toISOString().slice(0, 10);
    const name = `${settings.passType ?? "passes"}-${day}.csv`;
    await log("info", `The export has ${columns.length} columns.`, { columns: columns.length });
    await beginFile(name, csvLine(columns.map(textCell)));
    let [passes, loggedAt] = [0, LOGGED_EVERY];
    for (let after = ""; ; ) {
      const batch = await listPassesAfter(context, settings, after, PASSES_AT_ONCE);
      passes += await addLines(await linesOf(context, columns, batch), findExisting);
      if (passes >= loggedAt) {
        await log("info", `${passes} passes so far.`, { passes });
        loggedAt += LOGGED_EVERY;
      }
      signal.throwIfAborted();
      if (batch.length < PASSES_AT_ONCE) break;
      after = batch.at(-1)?.id ?? after;
    }
    const summary = passes === 1 ? "1 pass was exported." : `${passes} passes were exported.`;
    return { summary, counts: { passes } };
  },
};

async function columnsOf(
  context: TenantContext,
  passType: string | undefined,
): Promise<readonly string[]> {
  const { templates } = await templatesOf(context);
  const wanted = [...templates.values()]
    .filter((published) => passType === undefined || published.passType === passType)
    .map(({ template }) => template);
  return defaultColumns(wanted, context.runtime.ports.all(columnSources));
}

async function linesOf(
  context: TenantContext,
  columns: readonly string[],
  passes: readonly Pass[],
) {
  const ids = passes.map(({ id }) => id);
  const foreign = new Map<string, (passId: string) => string>();
  for (const source of context.runtime.ports.all(columnSources)) {
    const names = columns
      .filter((column) => column.startsWith(source.prefix))
      .map((column) => column.slice(source.prefix.length));
    if (names.length === 0 || ids.length === 0) continue;
    const values = await source.read(context, ids, names);
    for (const name of names) {
      const cell = (passId: string) => values.get(passId)?.get(name) ?? "";
      foreign.set(`${source.prefix}${name}`, cell);
    }
  }
  const cells = columns.map((column) => {
    const own = ownCell(column);
    return (pass: Pass) => own?.(pass) ?? foreign.get(column)?.(pass.id) ?? "";
  });
  return passes.map((pass) => ({
    key: pass.id,
    line: csvLine(cells.map((cell) => cell(pass))),
  }));
}
