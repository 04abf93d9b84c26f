import type { TenantContext } from "#kernel/context.ts";
import { type FullChange, type Pass, passTypesOf, updatePassWithin } from "#src/passes/public.ts";
import type { CdpConnection } from "./cdp.client.ts";
import { recallAttributes } from "./cdp-attributes.service.ts";

const AT_ONCE = 10;

/**
 * Gives new passes what the platform knows of their holders, if the settings keep it. One that fails is
 * left as it is: `UpdateMetadata` asks again at any time.
 */
export async function welcomePasses(
  context: TenantContext,
  connection: CdpConnection,
  passes: readonly Pass[],
  signal: AbortSignal,
): Promise<void> {
  if (!connection.settings.cache?.customer) return;
  const waiting = [...passes];
  const work = async (): Promise<void> => {
    for (let pass = waiting.shift(); pass !== undefined; pass = waiting.shift()) {
      try {
        await welcome(context, connection, pass, signal);
      } catch (error) {
        if (signal.aborted) return;
        const facts = { err: error, tenantId: context.tenantId, passId: pass.id };
        context.log.warn(facts, "a new pass is without the attributes of its customer");
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, passes.length) }, work));
}

async function welcome(
  context: TenantContext,
  connection: CdpConnection,
  pass: Pass,
  signal: AbortSignal,
): Promise<void> {
  const attributes = await recallAttributes(context, pass, connection, signal);
  if (attributes === undefined || Object.keys(attributes).length === 0) return;
  const types = await passTypesOf(context);
  await context.transaction((tx) =>
    // Whatever was read meanwhile is newer.
    updatePassWithin(tx, types, pass.id, ({ metadata }): FullChange | undefined =>
      "cdp" in metadata ? undefined : { metadata: { cdp: attributes } },
    ),
  );
}
