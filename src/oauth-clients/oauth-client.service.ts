import type { SystemContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { validationProblem } from "#kernel/errors.ts";
import { newId } from "#kernel/ids.ts";
import { oauthClientElsewhere, oauthClientNotFound } from "./oauth-client.errors.ts";
import { redirectUriProblem } from "./oauth-client.redirect.ts";
import * as clients from "./oauth-client.repository.ts";
import {
  DEFAULT_FLOWS,
  NAME_MUST_BE,
  OAUTH_FLOWS,
  type OAuthClient,
  type OAuthClientFields,
  presentOAuthClient,
} from "./oauth-client.schema.ts";

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Makes every node forget the cached client with the id in its payload. */
export const OAUTH_CLIENT_SIGNAL = "oauth-client";

export function createOAuthClient(
  context: SystemContext,
  sent: OAuthClientFields,
): Promise<OAuthClient> {
  requireBuiltInServer(context);
  const fields = checked(sent);
  return context.transaction(async (tx) => {
    const client = await clients.insertOAuthClient(tx, newId("oac", tx.now.getTime()), fields);
    tx.audit({ target: targetOf(client.id), after: presentOAuthClient(client) });
    return client;
  });
}

export async function getOAuthClient(
  { runtime }: SystemContext,
  clientId: string,
): Promise<OAuthClient> {
  const client = await clients.findOAuthClient(runtime, clientId);
  if (client === undefined) throw oauthClientNotFound({ clientId });
  return client;
}

/** Replaces all fields. A sign-in under way still ends at the redirect address it began with. */
export function updateOAuthClient(
  context: SystemContext,
  clientId: string,
  sent: OAuthClientFields,
): Promise<OAuthClient> {
  requireBuiltInServer(context);
  const fields = checked(sent);
  return context.transaction(async (tx) => {
    const before = await lockOrRefuse(context, tx, clientId);
    const after = await clients.updateOAuthClient(tx, clientId, fields);
    tx.audit({
      target: targetOf(clientId),
      before: presentOAuthClient(before),
      after: presentOAuthClient(after),
    });
    tx.signal(OAUTH_CLIENT_SIGNAL, clientId);
    return after;
  });
}

/** Tokens of the client stop on every node within a second. */
export function deleteOAuthClient(context: SystemContext, clientId: string): Promise<void> {
  return context.transaction(async (tx) => {
    const client = await lockOrRefuse(context, tx, clientId);
    await clients.deleteOAuthClient(tx, clientId);
    tx.audit({ target: targetOf(clientId), before: presentOAuthClient(client) });
    tx.signal(OAUTH_CLIENT_SIGNAL, clientId);
  });
}

async function lockOrRefuse(
  context: SystemContext,
  tx: TenantTx,
  clientId: string,
): Promise<OAuthClient> {
  const client = await clients.findOAuthClientForUpdate(tx, clientId);
  if (client === undefined) throw oauthClientNotFound({ clientId });
  context.requireMatch(client.version);
  return client;
}

function requireBuiltInServer({ runtime: { authIssuer } }: SystemContext): void {
  if (authIssuer !== undefined) throw oauthClientElsewhere({ issuer: authIssuer });
}

function checked({ name, redirectUris, flows = DEFAULT_FLOWS }: OAuthClientFields) {
  const errors: Record<string, string[]> = {};
  if (!LETTER_OR_DIGIT.test(name)) errors.name = [`must be ${NAME_MUST_BE}`];
  for (const [index, uri] of redirectUris.entries()) {
    const problem = redirectUriProblem(uri);
    if (problem !== undefined) errors[`redirectUris[${index}]`] = [problem];
  }
  if (Object.keys(errors).length > 0) throw validationProblem(errors);
  return { name, redirectUris, flows: OAUTH_FLOWS.filter((flow) => flows.includes(flow)) };
}

function targetOf(clientId: string): string {
  return `oauth-client:${clientId}`;
}
