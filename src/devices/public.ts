export {
  deviceConnected,
  deviceDeleted,
  deviceRegistered,
  deviceReset,
  deviceUpdated,
} from "./device.events.ts";
export { findDevice } from "./device.repository.ts";
export type { Device } from "./device.schema.ts";
export { deviceOf } from "./device.service.ts";
export type { DeviceSettings } from "./device.settings.ts";
