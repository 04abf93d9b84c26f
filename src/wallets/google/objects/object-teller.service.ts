import { setTimeout as sleep } from "node:timers/promises";
import type { TenantContext } from "#kernel/context.ts";
import type { WalletTeller } from "#src/passes/public.ts";
import { findHalt } from "../halts/halt.repository.ts";
import { listObjects, type ObjectState } from "./object.repository.ts";

const LOOK_MS = 50;

type Told = Awaited<ReturnType<WalletTeller["tellNow"]>>;

/**
 * Workers send changes as soon as they are committed. A caller that wants to know what became of
 * them only has to watch.
 */
export const googleTeller: WalletTeller = {
  wallet: "google",
  async tellNow(context, passIds, signal): Promise<Told> {
    for (;;) {
      const objects = await listObjects(context, passIds);
      const isOver = objects.every(isSettled) || (await findHalt(context)) !== undefined;
      if (isOver || signal.aborted) return await present(context, objects);
      await sleep(LOOK_MS);
    }
  },
};

/** True if it was sent or refused, or waits after a failure. */
function isSettled({ state, attempts }: ObjectState): boolean {
  return state !== "queued" || attempts > 0;
}

async function present(context: TenantContext, objects: readonly ObjectState[]): Promise<Told> {
  const halt = await findHalt(context);
  return new Map(
    objects.map(({ passId, state, problem: own }) => {
      const problem = state === "sent" ? undefined : (own ?? halt);
      const told = state === "denied" ? "queued" : state;
      return [passId, { state: told, ...(problem === undefined ? {} : { problem }) }];
    }),
  );
}
