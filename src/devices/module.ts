import { defineModule } from "#kernel/module.ts";
import { provide } from "#kernel/port.ts";
import { deviceKeyUses } from "#src/api-keys/public.ts";
import { deviceEvents } from "./device.events.ts";
import { forgetOnDeletion } from "./device.listeners.ts";
import { updateLastSeen } from "./device.repository.ts";
import { deviceRoutes } from "./device.routes.ts";
import { pairingRoutes } from "./pairing/pairing.routes.ts";

export const devicesModule = defineModule({
  name: "devices",
  routes: [...deviceRoutes, ...pairingRoutes],
  events: deviceEvents,
  listeners: [forgetOnDeletion],
  provides: [provide(deviceKeyUses, updateLastSeen)],
});
