import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Runtime } from "#kernel/runtime.ts";
import type { Template } from "#src/templates/public.ts";
import type { Pass } from "./pass.schema.ts";

/** What belongs to a pass and is looked after by a module above. */
export type PassCompanion = {
  /** Its name in `expand`. */
  readonly name: string;
  /** In the transaction that makes the pass: what its template gives to every new one. */
  attach(tx: TenantTx, pass: Pass, template: Template): Promise<void>;
  /** In the transaction that erases it. */
  detach(tx: TenantTx, passId: string): Promise<void>;
  read(context: TenantContext, passId: string): Promise<unknown>;
};

const byRuntime = new WeakMap<Runtime, readonly PassCompanion[]>();

/** Called once at start: modules above add what they keep without being known here. */
export function registerPassCompanions(
  runtime: Runtime,
  companions: readonly PassCompanion[],
): void {
  byRuntime.set(runtime, companions);
}

export function companionsOf({ runtime }: TenantContext): readonly PassCompanion[] {
  return byRuntime.get(runtime) ?? [];
}

/** What one of them keeps of a pass, as `expand` shows it; undefined when there is none such. */
export async function readCompanion(
  context: TenantContext,
  passId: string,
  name: string,
): Promise<unknown> {
  return await companionsOf(context)
    .find((companion) => companion.name === name)
    ?.read(context, passId);
}
