import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Pass = components["schemas"]["Pass"];
type Problem = components["schemas"]["Problem"];
type ValidationProblem = components["schemas"]["ValidationProblem"];
type Place = { baseUrl: string; key: string; tenantId: string };

/** Makes typical calls of a new user, and declares each value with its type from the document. */
export async function use({ baseUrl, key, tenantId }: Place) {
  const client = createClient<paths>({ baseUrl, headers: { "X-API-KEY": key } });
  const path = { tenantId };

  const created = await client.POST("/api/{tenantId}/passes", {
    params: { path, query: { passType: "loyalty" } },
    body: {
      identifiers: { "loyalty.number": "openapi-fetch-1" },
      additionalData: { firstName: "Camille", tier: "Bridge" },
    },
  });
  if (created.data === undefined) throw new Error(created.error?.code);
  const pass: Pass = created.data;

  const listed = await client.GET("/api/{tenantId}/passes", {
    params: {
      path,
      query: {
        "filter[0].field": "additionalData.tier",
        "filter[0].operator": "equals",
        "filter[0].value": "Bridge",
        "filter[1].field": "status",
        "filter[1].operator": "equals",
        "filter[1].value": "active",
        "sortBy[0].field": "creationDate",
        "sortBy[0].direction": "DESC",
        pageSize: 5,
      },
    },
  });
  if (listed.data === undefined) throw new Error(listed.error?.code);

  const subscribed = await client.POST("/api/{tenantId}/webhooks", {
    params: { path },
    body: { events: ["pass.*"], endpoint: "https://hooks.harbour.example/" },
  });
  if (subscribed.data === undefined) throw new Error(subscribed.error?.code);

  const updated = await client.PATCH("/api/{tenantId}/passes/{passId}", {
    params: { path: { tenantId, passId: pass.id } },
    body: { additionalData: { tier: "Deck" } },
  });
  if (updated.data === undefined) throw new Error(updated.error?.code);
  if (!("jobId" in updated.data)) throw new Error("The update was made at once.");

  const refused = await client.GET("/api/{tenantId}/passes", {
    params: {
      path,
      query: {
        "filter[0].field": "status",
        "filter[0].operator": "equals",
        "filter[0].value": "Active",
      },
    },
  });
  if (refused.error === undefined) throw new Error("A mistake was accepted.");
  const refusal: ValidationProblem = refused.error;

  const missed = await client.GET("/api/{tenantId}/passes/{passId}", {
    params: { path: { tenantId, passId: "ps_nobody" } },
  });
  if (missed.error === undefined) throw new Error("Nobody was found.");
  const missing: Problem = missed.error;

  return {
    created: { id: pass.id, status: pass.status },
    found: listed.data.map(({ id }) => id),
    webhook: { id: subscribed.data.id, events: subscribed.data.events },
    accepted: updated.data.jobId,
    refusal: {
      status: refused.response.status,
      code: refusal.code,
      field: Object.keys(refusal.errors ?? {}).join(),
    },
    missing: { status: missed.response.status, code: missing.code },
  };
}

/** Never called. The compiler must refuse each of these calls. */
export async function mistakes(): Promise<void> {
  const client = createClient<paths>();
  const path = { tenantId: "harbour" };
  // @ts-expect-error There is no such address.
  await client.GET("/api/{tenantId}/pass", { params: { path } });
  // @ts-expect-error The type of pass is missing.
  await client.POST("/api/{tenantId}/passes", { params: { path }, body: {} });
  // @ts-expect-error There is no such parameter.
  await client.GET("/api/{tenantId}/secrets", { params: { path, query: { colour: "red" } } });
  await client.GET("/api/{tenantId}/secrets", {
    // @ts-expect-error There is no such field.
    params: { path, query: { "filter[4].field": "colour" } },
  });
  await client.POST("/api/{tenantId}/webhooks", {
    params: { path },
    // @ts-expect-error An endpoint is needed.
    body: { events: ["pass.*"] },
  });
}
