import { createClient, createConfig } from "./client/client/index.js";
import {
  passCreate,
  passGet,
  passList,
  passUpdate,
  secretList,
  webhookCreate,
} from "./client/sdk.gen.js";
import type {
  Pass,
  PassGetErrors,
  PassListErrors,
  Problem,
  WebhookCreateResponses,
} from "./client/types.gen.js";

type Place = { baseUrl: string; key: string; tenantId: string };

/** Makes typical calls of a new user, and declares each value with its type from the document. */
export async function use({ baseUrl, key, tenantId }: Place) {
  // The client asks for a key and for a token; the API refuses requests with both.
  const auth = ({ type }: { type: string }) => (type === "apiKey" ? key : undefined);
  const client = createClient(createConfig({ baseUrl, auth }));
  const path = { tenantId };

  const created = await passCreate({
    client,
    path,
    query: { passType: "loyalty" },
    body: {
      identifiers: { "loyalty.number": "hey-api-1" },
      additionalData: { firstName: "Camille", tier: "Bridge" },
    },
  });
  if (created.data === undefined) throw failure(created.error);
  const pass: Pass = created.data;

  const listed = await passList({
    client,
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
  });
  if (listed.data === undefined) throw failure(listed.error);

  const subscribed = await webhookCreate({
    client,
    path,
    body: { events: ["pass.*"], endpoint: "https://hooks.harbour.example/" },
  });
  if (subscribed.response?.status !== 200) throw failure(subscribed.error);
  // The type is chosen by status, because 201 is listed without a body and never sent.
  const webhook = subscribed.data as WebhookCreateResponses[200];

  const updated = await passUpdate({
    client,
    path: { tenantId, passId: pass.id },
    body: { additionalData: { tier: "Deck" } },
  });
  if (updated.data === undefined) throw failure(updated.error);
  if (!("jobId" in updated.data)) throw new Error("The update was made at once.");

  const refused = await passList({
    client,
    path,
    query: {
      "filter[0].field": "status",
      "filter[0].operator": "equals",
      "filter[0].value": "Active",
    },
  });
  if (refused.response?.status !== 400) throw failure(refused.error);
  const refusal = refused.error as PassListErrors[400];

  const missed = await passGet({ client, path: { tenantId, passId: "ps_nobody" } });
  if (missed.response?.status !== 404) throw failure(missed.error);
  const missing = missed.error as PassGetErrors[404];

  return {
    created: { id: pass.id, status: pass.status },
    found: listed.data.map(({ id }) => id),
    webhook: { id: webhook.id, events: webhook.events },
    accepted: updated.data.jobId,
    refusal: {
      status: refused.response.status,
      code: refusal.code,
      field: Object.keys(refusal.errors ?? {}).join(),
    },
    missing: { status: missed.response.status, code: missing.code },
  };
}

/** The answer 500 is listed without a body, so this generator gives errors the type `unknown`. */
function failure(error: unknown): Error {
  return new Error((error as Problem | undefined)?.code);
}

/** Never called. The compiler must refuse each of these calls. */
export async function mistakes(): Promise<void> {
  const path = { tenantId: "harbour" };
  // @ts-expect-error The type of pass is missing.
  await passCreate({ path, body: {} });
  // @ts-expect-error There is no such parameter.
  await secretList({ path, query: { colour: "red" } });
  // @ts-expect-error There is no such field.
  await secretList({ path, query: { "filter[4].field": "colour" } });
  // @ts-expect-error An endpoint is needed.
  await webhookCreate({ path, body: { events: ["pass.*"] } });
}
