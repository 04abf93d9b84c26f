import { defineRoute, type Route } from "#kernel/http/route.ts";
import { PassParams, passNotFound } from "#src/passes/public.ts";
import { pushQueueOf } from "../push/push-queue.service.ts";
import { DELIVERIES_EXAMPLE, DeviceDeliveries } from "./delivery.schema.ts";
import { listDeliveriesOf } from "./delivery.service.ts";

export const passListDeliveries = defineRoute({
  op: "pass.list-deliveries",
  method: "GET",
  url: "/api/:tenantId/passes/:passId/deliveries",
  scope: "Pass.Read",
  summary: "See what became of the changes of a pass on each device",
  description:
    "The newest change first, at most 200. A device is pushed again when it does not fetch the pass in time: after 15 minutes, 1 hour, 6 hours and 24 hours. `queue` tells whether pushes of this tenant go out at all. Kept for 30 days.",
  params: PassParams,
  reply: DeviceDeliveries,
  errors: [passNotFound],
  example: { reply: DELIVERIES_EXAMPLE },
  async handle(context, { params }) {
    const deliveries = await listDeliveriesOf(context, params.passId);
    return { queue: await pushQueueOf(context), deliveries };
  },
});

export const passDeliveryRoutes: Route[] = [passListDeliveries];
