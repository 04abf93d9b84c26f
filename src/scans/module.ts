import { defineModule } from "#kernel/module.ts";
import { provide } from "#kernel/port.ts";
import { passCompanions } from "#src/passes/public.ts";
import { purgers } from "#src/scheduler/public.ts";
import { scanBatch } from "./batches/batch.routes.ts";
import { scanRecorded } from "./scan.events.ts";
import { purgeScans, scanPurger } from "./scan.jobs.ts";
import { eraseScansOfErased } from "./scan.listeners.ts";
import { scanCreate, scanGet, scanList } from "./scan.routes.ts";
import { scansOfPasses } from "./scan.service.ts";

export const scansModule = defineModule({
  name: "scans",
  routes: [scanCreate, scanList, scanGet, scanBatch],
  jobs: [purgeScans],
  events: [scanRecorded],
  listeners: [eraseScansOfErased],
  provides: [provide(passCompanions, scansOfPasses), provide(purgers, scanPurger)],
});
