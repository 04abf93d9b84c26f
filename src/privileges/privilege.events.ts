import Type from "typebox";
import { defineEvent, type EventDefinition } from "#kernel/events/define.ts";
import { MOVEMENT_EXAMPLE, movementMembers } from "./movements/movement.schema.ts";
import { PRIVILEGE_EXAMPLE, PrivilegeView } from "./privilege.schema.ts";

const PassId = Type.String({ description: "The pass that the privilege belongs to." });
const PASS_ID_EXAMPLE = "ps_0VfQm3Ks00x7Rk2LwPq9Zt";

function privilegeEvent(name: string, summary: string) {
  return defineEvent({
    name,
    version: 1,
    summary,
    payload: Type.Object({ passId: PassId, ...PrivilegeView.properties }),
    example: { passId: PASS_ID_EXAMPLE, ...PRIVILEGE_EXAMPLE },
  });
}

// Names and fields are a published contract: add, never rename or remove.
export const privilegeCreated = privilegeEvent(
  "privilege.created",
  "A privilege was added to a pass. Those that a template gives to every new pass come with `pass.created`, and what they are worth with a `privilege.moved` after it.",
);
export const privilegeUpdated = privilegeEvent(
  "privilege.updated",
  "The terms of a privilege changed: its name, type, bounds, unit, status, validity or metadata.",
);
export const privilegeDeleted = privilegeEvent(
  "privilege.deleted",
  "A privilege was deleted; tells it as it was, with its last value. Its ledger stays with the pass.",
);

export const privilegeMoved = defineEvent({
  name: "privilege.moved",
  version: 1,
  summary:
    "A movement was written to the ledger of a privilege. There is exactly one such event for each movement.",
  payload: Type.Object({
    passId: PassId,
    ...movementMembers,
    privilege: Type.Object(PrivilegeView.properties, {
      description: "The privilege after the movement.",
    }),
  }),
  example: {
    passId: PASS_ID_EXAMPLE,
    ...MOVEMENT_EXAMPLE,
    privilege: { ...PRIVILEGE_EXAMPLE, value: 9, version: 2 },
  },
});

export const privilegeEvents: readonly EventDefinition[] = [
  privilegeCreated,
  privilegeUpdated,
  privilegeDeleted,
  privilegeMoved,
];
