export { boundsOf, type MovementRefusal, type Refusal } from "./movements/movement.rules.ts";
export { type Movement, MovementView, presentMovement } from "./movements/movement.schema.ts";
export {
  type MovementOutcome,
  type MovementWish,
  moveValue,
} from "./movements/movement.service.ts";
export {
  foreseeRedemptions,
  foreseeRefusal,
  type RedemptionForesight,
} from "./movements/movement-foresight.service.ts";
export { definePassRoutes } from "./pass-address.ts";
export {
  privilegeCreated,
  privilegeDeleted,
  privilegeMoved,
  privilegeUpdated,
} from "./privilege.events.ts";
export { type Privilege, PrivilegeView, presentPrivilege } from "./privilege.schema.ts";
export { listPrivilegesOf } from "./privilege.service.ts";
