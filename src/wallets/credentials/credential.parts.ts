import type { Module } from "#kernel/module.ts";
import { accountRoutes } from "./accounts/account.routes.ts";
import { certificateRoutes } from "./certificates/certificate.routes.ts";
import { credentialEvents } from "./credential.events.ts";
import { credentialJobs } from "./credential.jobs.ts";
import { credentialRoutes } from "./credential.routes.ts";

/** What the credentials of both wallets add to the module of the wallets. */
export const credentialParts = {
  routes: [...credentialRoutes, ...certificateRoutes, ...accountRoutes],
  jobs: credentialJobs,
  events: credentialEvents,
} satisfies Partial<Module>;
