import Type from "typebox";
import { answer, defineRoute } from "#kernel/http/route.ts";
import { definePassRoutes } from "../pass-address.ts";
import {
  movementAlreadyReversed,
  movementNotFound,
  movementNotReversible,
  privilegeNotFound,
} from "../privilege.errors.ts";
import { MOVEMENT_ERRORS } from "../privilege.refusals.ts";
import { PrivilegeParams } from "../privilege.schema.ts";
import { MOVEMENT_LIST } from "./movement.repository.ts";
import {
  MOVEMENT_EXAMPLE,
  MovementCreate,
  MovementId,
  MovementOfPassView,
  MovementView,
  presentMovement,
  ReversalCreate,
} from "./movement.schema.ts";
import { createMovement, getMovement, listMovements, reverseMovement } from "./movement.service.ts";
import { ALL_MOVEMENTS_LIST, listAllMovements } from "./movement-list.repository.ts";
import { streamStatement } from "./statement.service.ts";

const MovementParams = Type.Object({ ...PrivilegeParams.properties, movementId: MovementId });

export const movementListAll = defineRoute({
  op: "movement.list-all",
  method: "GET",
  url: "/api/:tenantId/movements",
  scope: "Pass.Read",
  summary: "List the movements of all privileges",
  description:
    "The ledgers of all passes in one list, the newest first by when they happened. Also of privileges that were deleted, until their passes are erased.",
  list: ALL_MOVEMENTS_LIST,
  reply: Type.Array(MovementOfPassView),
  example: { reply: [{ passId: "ps_0VfQm3Ks00x7Rk2LwPq9Zt", ...MOVEMENT_EXAMPLE }] },
  handle: listAllMovements,
});

const lists = definePassRoutes({
  op: "movement.list",
  method: "GET",
  path: "/privileges/:privilegeId/movements",
  scope: "Pass.Read",
  summary: "List the movements of a privilege",
  description:
    "The ledger, the newest first. Also of a privilege that was deleted, until its pass is erased.",
  params: PrivilegeParams,
  list: MOVEMENT_LIST,
  reply: Type.Array(MovementView),
  errors: [privilegeNotFound],
  example: { reply: [MOVEMENT_EXAMPLE] },
  handle: (context, passId, input) =>
    listMovements(context, passId, input.params.privilegeId, input),
});

const creates = definePassRoutes({
  op: "movement.create",
  method: "POST",
  path: "/privileges/:privilegeId/movements",
  scope: "Pass.Write",
  summary: "Apply a movement to the value of a privilege",
  description:
    "Send a signed `value`, or `type` and `amount`. A movement that would break a bound is refused and nothing is written. Redemptions are refused while the privilege is locked, after a `OneTime` privilege was redeemed, and outside of its validity at the time of the request, whatever `occurredAt` says: that is only kept, and at most five minutes ahead. Send an `Idempotency-Key`, and repeat the request after a failure without fear.",
  params: PrivilegeParams,
  body: MovementCreate,
  bodyNeeded: true,
  status: 201,
  reply: MovementView,
  errors: [privilegeNotFound, ...MOVEMENT_ERRORS],
  example: {
    body: { type: "redemption", amount: 1, expectedValue: 10, reference: "receipt-4711" },
    reply: MOVEMENT_EXAMPLE,
  },
  async handle(context, passId, { params: { privilegeId }, body }) {
    const movement = await createMovement(context, passId, privilegeId, body);
    return made(context.tenantId, passId, presentMovement(movement));
  },
});

const gets = definePassRoutes({
  op: "movement.get",
  method: "GET",
  path: "/privileges/:privilegeId/movements/:movementId",
  scope: "Pass.Read",
  summary: "Read one movement",
  params: MovementParams,
  reply: MovementView,
  errors: [privilegeNotFound, movementNotFound],
  example: { reply: MOVEMENT_EXAMPLE },
  async handle(context, passId, { params: { privilegeId, movementId } }) {
    const movement = await getMovement(context, passId, privilegeId, movementId);
    return answer(presentMovement(movement), { version: movement.id });
  },
});

const reversals = definePassRoutes({
  op: "movement.reverse",
  method: "POST",
  path: "/privileges/:privilegeId/movements/:movementId/reversal",
  scope: "Pass.Write",
  summary: "Undo a movement",
  description:
    "Writes an adjustment of the opposite value, within the bounds of the privilege. The status becomes what the movements that stand make it: undoing its last redemption makes a `OneTime` privilege available again, and undoing the issuance that unlocked a privilege locks it. A movement is undone once, and an undo cannot be undone.",
  params: MovementParams,
  body: ReversalCreate,
  status: 201,
  reply: MovementView,
  errors: [
    privilegeNotFound,
    movementNotFound,
    movementAlreadyReversed,
    movementNotReversible,
    ...MOVEMENT_ERRORS.slice(0, 2),
  ],
  example: {
    body: { reason: "Rung up twice" },
    reply: {
      ...MOVEMENT_EXAMPLE,
      movementId: "mv_0VfQm3Ks00x7Rk2LwPq9Zu",
      type: "adjustment",
      value: 1,
      valueBefore: 9,
      valueAfter: 10,
      sequence: 3,
      reason: "Rung up twice",
      reference: null,
      reverses: MOVEMENT_EXAMPLE.movementId,
    },
  },
  async handle(context, passId, { params: { privilegeId, movementId }, body }) {
    const movement = await reverseMovement(context, passId, privilegeId, movementId, body);
    return made(context.tenantId, passId, presentMovement(movement));
  },
});

function made(tenantId: string, passId: string, movement: MovementView) {
  const { privilegeId, movementId } = movement;
  const location = `/api/${tenantId}/passes/${passId}/privileges/${privilegeId}/movements/${movementId}`;
  return answer(movement, { status: 201, headers: { location } });
}

const CSV = "text/csv";

const statements = definePassRoutes({
  op: "movement.export",
  method: "GET",
  path: "/privileges/:privilegeId/statement.csv",
  scope: "Pass.Read",
  summary: "Read the ledger of a privilege as CSV",
  description:
    "All movements, the oldest first. Texts that a spreadsheet would take for a formula begin with an apostrophe.",
  params: PrivilegeParams,
  reply: Type.String({ contentMediaType: CSV, title: "Statement" }),
  errors: [privilegeNotFound],
  async handle(context, passId, { params: { privilegeId } }) {
    const body = await streamStatement(context, passId, privilegeId);
    const headers = {
      "content-type": `${CSV}; charset=utf-8`,
      "content-disposition": `attachment; filename="${privilegeId}.csv"`,
    };
    return answer(body, { headers });
  },
});

export const movementRoutes = [
  movementListAll,
  ...lists,
  ...creates,
  ...gets,
  ...reversals,
  ...statements,
];
