import type { FastifyInstance } from "fastify";
import type { Runtime } from "#kernel/runtime.ts";
import { purgeNonces } from "./callbacks/callback.jobs.ts";
import { plugCallbacks } from "./callbacks/callback.plug.ts";
import { classGet, classList, classSync } from "./classes/class.routes.ts";
import { plugImages } from "./images/image.plug.ts";
import { ObjectEngine } from "./objects/object.engine.ts";
import { purgeMessages, refreshObjects } from "./objects/object.jobs.ts";
import {
  followErasures,
  followNotifications,
  followPasses,
  followPrivileges,
  followPublications,
} from "./objects/object.listeners.ts";
import { googleTeller } from "./objects/object-teller.service.ts";
import { updateOutdated } from "./outdated/outdated.jobs.ts";
import { saveTokenCreate } from "./save/save.routes.ts";

/** What the module of wallets has for Google Wallet. */
export const googleParts = {
  routes: [classList, classGet, classSync, saveTokenCreate],
  jobs: [refreshObjects, updateOutdated, purgeMessages, purgeNonces],
  // Messages before changes: both are written by the same transaction, in this order.
  listeners: [
    followNotifications,
    followPasses,
    followPrivileges,
    followErasures,
    followPublications,
  ],
  teller: googleTeller,
  plug(app: FastifyInstance, runtime: Runtime): void {
    plugCallbacks(app, runtime);
    plugImages(app, runtime);
  },
  async work(runtime: Runtime): Promise<() => Promise<void>> {
    const engine = new ObjectEngine(runtime);
    engine.start();
    return () => engine.stop();
  },
};
