import Type from "typebox";
import { defineEvent } from "#kernel/events/define.ts";
import { FileChange } from "./configuration/configuration.schema.ts";
import { TenantId } from "./tenant.schema.ts";

export const configurationPublished = defineEvent({
  name: "configuration.published",
  version: 1,
  summary: "A new version of the tenant's configuration is in force.",
  payload: Type.Object({
    tenantId: TenantId,
    version: Type.Integer({ minimum: 1 }),
    changes: Type.Array(FileChange, { description: "At most 200 of them." }),
    changeCount: Type.Integer({ minimum: 0 }),
    message: Type.Union([Type.String(), Type.Null()]),
    author: Type.String(),
  }),
  example: {
    tenantId: "cafe-lune",
    version: 7,
    changes: [{ path: "tenant.yml", change: "changed" }],
    changeCount: 1,
    message: "Higher limit for the tills",
    author: "ana@cafe-lune.example",
  },
});

/** Other modules listen in the same transaction and end keys, secrets and webhooks at once. */
export const tenantDeleted = defineEvent({
  name: "tenant.deleted",
  version: 1,
  summary: "The tenant has ended. Its subscriptions end with it, so this is seldom delivered.",
  payload: Type.Object({ tenantId: TenantId }),
  example: { tenantId: "cafe-lune" },
});
