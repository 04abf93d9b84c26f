import { defineModule } from "#kernel/module.ts";
import { provide } from "#kernel/port.ts";
import { passCompanions } from "#src/passes/public.ts";
import { privilegesOfPasses } from "./privilege.service.ts";

export const privilegesModule = defineModule({
  name: "privileges",
  provides: [provide(passCompanions, privilegesOfPasses)],
});
