import { createHmac } from "node:crypto";
import { generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import { systemCall } from "#kernel/call.ts";
import { loadSigningKeys } from "#src/access/authorization/authorization.keys.ts";
import { hashToken, issueDeviceKey, makeToken, SCOPE_NAMES, SCOPES } from "#src/api-keys/public.ts";
import { newMark } from "./operations.ts";
import type { TestApi } from "./start-api.ts";

type Credential = { readonly key?: string; readonly bearer?: string };
type Claims = Readonly<Record<string, unknown>>;

const LIFE_SECONDS = 600;
/** What a token holds whose owner asked for no scope in particular. */
const EVERY_SCOPE = [...SCOPES.map(({ bearer }) => bearer), "platform:admin"].join(" ");

/** Every kind of credential, good and bad, for a tenant of ours and one of somebody else. */
export async function makeCredentials(api: TestApi, ours: string, foreign: string) {
  const persons = await makePersons(api);
  const person = await persons.token(await persons.make([ours]));
  const globalId = await persons.make([]);
  const personId = await persons.make([ours]);
  const fullKey = await api.seed.key(ours, ...SCOPE_NAMES);
  const ghostId = await persons.make([ours]);
  // As it was possible before invitations asked whether their tenants exist.
  await api.sql("update administrator set tenants = '{nobody-here}' where id = $1", [ghostId]);
  const ghosts = new Map([["nobody-here", await persons.token(ghostId)]]);
  return {
    fullKey,
    foreignKey: await api.seed.key(foreign, ...SCOPE_NAMES),
    deviceKey: await makeDeviceKey(api, ours),
    person,
    foreignPerson: await persons.token(await persons.make([foreign])),
    globalPerson: await persons.token(globalId),
    personOf: (tenantId: string) => ghosts.get(tenantId) ?? "",
    limitedPerson: (scope: string) => persons.token(personId, { scope }),
    limitedGlobal: (scope: string) => persons.token(globalId, { scope }),
    refused: {
      ...(await refusedKeys(api, ours, fullKey)),
      ...(await persons.refusedTokens(globalId)),
      "a good key and a good token together": { key: fullKey, bearer: person },
      "the operator's key and a good token together": { key: api.operatorKey, bearer: person },
    } as Readonly<Record<string, Credential>>,
  };
}

async function refusedKeys(
  api: TestApi,
  tenantId: string,
  good: string,
): Promise<Record<string, Credential>> {
  const expired = await api.seed.key(tenantId, ...SCOPE_NAMES);
  await api.sql("update api_key set expires_at = now() - interval '1 second' where hash = $1", [
    hashToken(expired),
  ]);
  const revoked = await api.seed.key(tenantId, ...SCOPE_NAMES);
  const [row] = await api.sql("select name from api_key where hash = $1", [hashToken(revoked)]);
  await api.delete(`/api/${tenantId}/admin/apiKeys/${row?.name}`, { key: api.operatorKey });
  // In the database like any other: nothing but the environment is wrong with it.
  const production = makeToken({ environment: "production", kind: "api-key" });
  await api.sql("update api_key set hash = $2 where hash = $1", [
    hashToken(await api.seed.key(tenantId, ...SCOPE_NAMES)),
    hashToken(production),
  ]);
  return {
    "no credential": {},
    "an empty key": { key: "" },
    "a malformed key": { key: "not a key" },
    "a key with a typing error": { key: `${good.slice(0, -1)}${good.endsWith("0") ? "1" : "0"}` },
    "an unknown key": { key: makeToken({ environment: "staging", kind: "api-key" }) },
    "an expired key": { key: expired },
    "a revoked key": { key: revoked },
    "a key of the other environment": { key: production },
    "two keys in one header": { key: `${good}, ${good}` },
  };
}

/** As connecting a device makes it. */
async function makeDeviceKey({ runtime }: TestApi, tenantId: string): Promise<string> {
  const call = systemCall(runtime, "test.connect", { tenantId });
  return await call.transaction((tx) => issueDeviceKey(tx, runtime.environment, "till-1"));
}

async function makePersons(api: TestApi) {
  const { baseUrl } = api.runtime;
  const [signingKey] = (await loadSigningKeys(api.runtime)) as [JWK];
  const privateKey = await importJWK(signingKey, "ES256");
  const usual = { alg: "ES256", kid: signingKey.kid ?? "", typ: "at+jwt" };

  function claimsOf(sub: string, more: Claims = {}): Claims {
    const now = Math.floor(Date.now() / 1_000);
    return {
      iss: baseUrl,
      aud: `${baseUrl}/api/`,
      sub,
      iat: now,
      exp: now + LIFE_SECONDS,
      client_id: "billfold-console",
      scope: EVERY_SCOPE,
      ...more,
    };
  }

  /** As the built-in authorization server signs it. */
  function token(sub: string, more: Claims = {}, header: object = {}): Promise<string> {
    return new SignJWT(claimsOf(sub, more))
      .setProtectedHeader({ ...usual, ...header })
      .sign(privateKey);
  }

  /** Without tenants: a Global Administrator. */
  async function make(tenants: readonly string[]): Promise<string> {
    const name = newMark("person");
    const role = tenants.length === 0 ? "global" : "tenant";
    const body = { email: `${name}@example.com`, name, role, tenants };
    const made = await api.post("/api/administrators", { key: api.operatorKey, body });
    if (made.status !== 201) throw new Error(`No administrator: ${made.text}`);
    return made.body.id;
  }

  async function refusedTokens(sub: string): Promise<Record<string, Credential>> {
    const past = Math.floor(Date.now() / 1_000) - 2 * LIFE_SECONDS;
    const stranger = await generateKeyPair("ES256");
    const disabled = await make([]);
    const body = {
      email: `${newMark("gone")}@example.com`,
      name: "Gone",
      role: "global",
      disabled: true,
    };
    await api.put(`/api/administrators/${disabled}`, { key: api.operatorKey, body });
    const bad: Record<string, string> = {
      "a token that is none": "x.y.z",
      "a token for another audience": await token(sub, { aud: "https://other.example/api/" }),
      "an expired token": await token(sub, { iat: past, exp: past + LIFE_SECONDS }),
      "a token of another issuer": await token(sub, { iss: "https://other.example" }),
      "an id token": await token(sub, {}, { typ: "JWT" }),
      "a token of a disabled person": await token(disabled),
      "a token of nobody": await token("adm_0000000000000000000000"),
      "a token signed by a stranger": await new SignJWT(claimsOf(sub))
        .setProtectedHeader(usual)
        .sign(stranger.privateKey),
      "a token without a signature": `${encode({ ...usual, alg: "none" })}.${encode(claimsOf(sub))}.`,
      "a token signed with the public key": signedWithPublicKey(signingKey, claimsOf(sub)),
    };
    return Object.fromEntries(Object.entries(bad).map(([name, bearer]) => [name, { bearer }]));
  }

  return { token, make, refusedTokens };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** What a verifier accepts that takes the algorithm from the token. */
function signedWithPublicKey({ d: _private, ...publicKey }: JWK, claims: Claims): string {
  const text = `${encode({ alg: "HS256", typ: "at+jwt", kid: publicKey.kid })}.${encode(claims)}`;
  return `${text}.${createHmac("sha256", JSON.stringify(publicKey)).update(text).digest("base64url")}`;
}
