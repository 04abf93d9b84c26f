import type { Clock } from "#kernel/clock.ts";
import { Vendors } from "#src/simulator/vendors/vendors.service.ts";

type Owner = { after(undo: () => Promise<void>): void };

/**
 * The vendors of all connectors on sockets of their own. Their time stands still until a test moves
 * it (`advance`), so that retries come when the test wants them; `idle` waits for what is under way.
 * `inPlaceOf` leads a public address to where a test's product really listens.
 */
export async function startVendors(
  owner: Owner,
  options: { readonly wall?: Clock; readonly inPlaceOf?: Readonly<Record<string, string>> } = {},
): Promise<Vendors> {
  const { wall, inPlaceOf = {} } = options;
  const resolve = (url: string): string => {
    const base = Object.keys(inPlaceOf).find((one) => url.startsWith(one));
    return base === undefined ? url : `${inPlaceOf[base]}${url.slice(base.length)}`;
  };
  const vendors = await Vendors.open({ resolve, ticks: false, ...(wall && { wall }) });
  owner.after(() => vendors.close());
  return vendors;
}
export type { Vendors };
