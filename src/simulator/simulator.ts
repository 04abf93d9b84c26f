import { join } from "node:path";
import type { Log } from "#kernel/log.ts";
import { definePort } from "#kernel/port.ts";
import type { ApplePushService, GoogleServices } from "#src/wallets/public.ts";
import { Reach } from "./reach.client.ts";
import type { World } from "./simulator.world.ts";
import type { Vendors } from "./vendors/vendors.service.ts";

/** Apple's and Google's side for an installation that has no account with them. */
export type Simulator = {
  apple(): Promise<ApplePushService>;
  google(): Promise<GoogleServices>;
  /** The simulated world, which begins at the first call. */
  world(): Promise<World>;
  /** The other side of connectors, which begins at the first call, too. */
  vendors(): Promise<Vendors>;
  /** Begins with the vendors at once if they were used before: connectors call them by themselves. */
  resume(): Promise<void>;
  /** Where the product itself listens in this process, which phones then call directly. */
  listensAt(url: string): void;
  close(): Promise<void>;
};

/** The simulator of this process, for its own pages; there is none in production. */
export const simulators = definePort<Simulator>("simulator");

type Options = { readonly dataDir: string; readonly baseUrl: string; readonly log: Log };

/**
 * Nothing is loaded, made or listening before the first use, so that a start without phones costs
 * nothing.
 */
export function createSimulator(options: Options): Simulator {
  let opening: Promise<World> | undefined;
  let isClosed = false;
  let local: string | undefined;
  const vendors = openVendorsLater(options, () => isClosed);

  const world = () => {
    if (isClosed) return Promise.reject(new Error("The simulator has ended."));
    opening ??= open(options, local).catch((error: unknown) => {
      // The next caller tries again: a port or a file may be free by then.
      opening = undefined;
      throw error;
    });
    return opening;
  };

  return {
    world,
    vendors: vendors.open,
    resume: vendors.resume,
    listensAt(url) {
      local = url;
      vendors.reach.listensAt(url);
      void opening?.then(({ reach }) => reach.listensAt(url)).catch(() => undefined);
    },
    async apple() {
      const { apns, authorityPem } = await world();
      return { url: apns.url, authority: authorityPem };
    },
    async google() {
      return describeGoogle(await world());
    },
    async close() {
      isClosed = true;
      const opened = await opening?.catch(() => undefined);
      await Promise.all([opened?.close(), vendors.close()]);
    },
  };
}

function openVendorsLater({ dataDir, baseUrl }: Options, isClosed: () => boolean) {
  const folder = join(dataDir, "simulator");
  const reach = new Reach(baseUrl);
  let opening: Promise<Vendors> | undefined;
  const open = () => {
    if (isClosed()) return Promise.reject(new Error("The simulator has ended."));
    opening ??= import("./vendors/vendors.service.ts")
      .then(({ Vendors }) => Vendors.open({ folder, resolve: (url) => reach.resolve(url) }))
      .catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
    return opening;
  };
  return {
    reach,
    open,
    async resume() {
      const { isKept, VENDORS_NAME } = await import("./simulator.file.ts");
      if (await isKept(folder, VENDORS_NAME)) await open();
    },
    async close() {
      const opened = await opening?.catch(() => undefined);
      await opened?.close();
    },
  };
}

async function open(options: Options, local: string | undefined): Promise<World> {
  const { World } = await import("./simulator.world.ts");
  const world = await World.open(options);
  if (local !== undefined) world.reach.listensAt(local);
  return world;
}

async function describeGoogle(world: World): Promise<GoogleServices> {
  const { serviceAccountFile, TOKEN_AUDIENCE } = await import("./google/google.accounts.ts");
  const { url } = world.google;
  return {
    apiUrl: `${url}/walletobjects/v1`,
    tokenUrl: `${url}/token`,
    tokenAudience: TOKEN_AUDIENCE,
    keysUrl: `${url}/gp/m/issuer/keys`,
    saveUrl: world.saveUrl,
    async demoAccount() {
      const account = await world.demoAccount();
      return { issuerId: account.issuerId, serviceAccount: serviceAccountFile(account) };
    },
  };
}
