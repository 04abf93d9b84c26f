export { apiKeyScopeNotHeld } from "./api-key.errors.ts";
export { type DeviceUse, deviceKeyUses } from "./api-key.port.ts";
export {
  type ActiveKey,
  findActiveKey,
  findActiveKeys,
  type KeyUse,
} from "./api-key.repository.ts";
export {
  API_KEY_SIGNAL,
  createApiKey,
  DEVICE_SCOPES,
  issueDeviceKey,
  recordKeyUse,
  requireHeld,
  revokeDeviceKey,
  revokeDeviceKeys,
} from "./api-key.service.ts";
export {
  hashToken,
  makeToken,
  parseToken,
  TOKEN_PATTERN,
  type TokenKind,
} from "./api-key.token.ts";
export {
  BEARER_SCOPE_NAMES,
  fromBearerScope,
  PLATFORM_SCOPE_MEANING,
  SCOPE_NAMES,
  SCOPES,
  type ScopeName,
  toBearerScope,
} from "./scope.ts";
