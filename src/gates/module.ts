import { defineModule } from "#kernel/module.ts";
import { gateRoutes } from "./gate.routes.ts";
import { sealedGateKeys } from "./keys/key.repository.ts";

export const gatesModule = defineModule({
  name: "gates",
  routes: gateRoutes,
  sealed: [sealedGateKeys],
});
