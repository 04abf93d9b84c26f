import { defineModule } from "#kernel/module.ts";
import { provide } from "#kernel/port.ts";
import { purgers, taskKinds } from "#src/scheduler/public.ts";
import { ImportEngine } from "./engine/import.engine.ts";
import { importTask } from "./engine/waiting.service.ts";
import { importCompleted, importFailed } from "./files/file.events.ts";
import { dropImportContents, importPurger, purgeImports } from "./files/file.jobs.ts";
import { eraseImportsOfCustomers, eraseImportsOfPasses } from "./files/file.listeners.ts";
import { importRoutes } from "./files/file.routes.ts";

export const importsModule = defineModule({
  name: "imports",
  routes: importRoutes,
  jobs: [dropImportContents, purgeImports],
  events: [importCompleted, importFailed],
  listeners: [eraseImportsOfPasses, eraseImportsOfCustomers],
  provides: [provide(taskKinds, importTask), provide(purgers, importPurger)],
  configFiles: [new URL("./import.config.ts", import.meta.url)],
  async work(runtime) {
    const engine = new ImportEngine(runtime);
    engine.start();
    return () => engine.stop();
  },
});
