import { generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { GoogleError } from "#src/simulator/google/google.errors.ts";
import { missingMember, requireKnown } from "#src/simulator/google/google.members.ts";
import { seedPassTenant } from "./pass-tenant.ts";
import type { TestApi } from "./start-api.ts";

/*
 * Google Wallet on a real socket, as small as tests of the product need it: it issues tokens, keeps
 * classes and objects, refuses members that they do not have, signs callbacks, and fails as a test asks.
 */

// biome-ignore lint/suspicious/noExplicitAny: what was sent is looked at as JSON.
type Json = any;
type Owner = { after(undo: () => Promise<void>): void };

export type GoogleCall = {
  readonly at: number;
  readonly method: string;
  /** Below `/walletobjects/v1`, such as `/loyaltyObject/77.ps_1`. */
  readonly path: string;
  readonly body: Json;
};
/**
 * A status; `hang` never answers; `cut` does what was asked and ends the connection instead of
 * answering; undefined lets the request through.
 */
export type Fault =
  | number
  | "hang"
  | "cut"
  | { status: number; body: Json; headers?: Readonly<Record<string, string>> }
  | undefined;

export const ISSUER_ID = "3388000000099999999";
export const ACCOUNT_EMAIL = "passes@harbour.iam.gserviceaccount.com";
/** What the stand-in gives for a token that is too long for a link. */
export const LONG_LINK = "https://pay.google.example/gp/v/save/kept";
const TOKEN_SECONDS = 3_600;

const service = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const ecPair = () => generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const [root, intermediate] = [ecPair(), ecPair()];
const spki = (key: KeyObject) => key.export({ format: "der", type: "spki" }).toString("base64");

export const SERVICE_ACCOUNT = JSON.stringify({
  type: "service_account",
  client_email: ACCOUNT_EMAIL,
  private_key_id: "key-1",
  private_key: service.privateKey.export({ format: "pem", type: "pkcs8" }),
});

/** What the key of the service account signed. Fails if it did not. */
export function readSigned(token: string): { header: Json; claims: Json } {
  const [head = "", claims = "", signature = ""] = token.split(".");
  const bytes = Buffer.from(`${head}.${claims}`);
  const isSigned = verify("sha256", bytes, service.publicKey, Buffer.from(signature, "base64url"));
  if (!isSigned) throw new Error("The token is not signed by the service account.");
  const parse = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  return { header: parse(head), claims: parse(claims) };
}

function claimsOf(assertion: string): Json {
  try {
    return readSigned(assertion).claims;
  } catch {
    return undefined;
  }
}

export type GoogleStandIn = Awaited<ReturnType<typeof startGoogle>>;

export async function startGoogle(owner: Owner) {
  const calls: GoogleCall[] = [];
  const resources = new Map<string, Json>();
  const tokens = new Set<string>();
  const counts = { tokens: 0, keys: 0 };
  let fault: (call: GoogleCall) => Fault | Promise<Fault> = () => undefined;
  let tokenFault: Fault;
  let isNullAbsent = false;
  let keepsMembers: readonly string[] = [];

  function giveToken(body: string): [number, Json] {
    counts.tokens += 1;
    const form = new URLSearchParams(body);
    const claims = claimsOf(form.get("assertion") ?? "");
    if (claims?.iss !== ACCOUNT_EMAIL || claims.aud !== "https://oauth2.googleapis.com/token") {
      return [400, { error: "invalid_grant", error_description: "Invalid JWT." }];
    }
    const token = `token-${counts.tokens}`;
    tokens.add(token);
    return [200, { access_token: token, expires_in: TOKEN_SECONDS, token_type: "Bearer" }];
  }

  function act(call: GoogleCall): [number, Json] {
    try {
      return takeResource(call);
    } catch (error) {
      if (error instanceof GoogleError) return [error.status, error.present()];
      throw error;
    }
  }

  function takeResource({ method, path, body: sent }: GoogleCall): [number, Json] {
    const [, resource = "", id, verb] = path.split("/");
    if (resource === "jwt") {
      requireKnown("Resources", readSigned(sent.jwt).claims.payload, "payload");
      return [200, { saveUri: LONG_LINK, resources: {} }];
    }
    const type = `${resource.slice(0, 1).toUpperCase()}${resource.slice(1)}`;
    if (verb === "addMessage") requireKnown("AddMessageRequest", sent);
    else requireKnown(type, sent, "resource");
    const body = isNullAbsent ? withoutEmpty(sent) : sent;
    if (method === "POST" && id === undefined) {
      const name = `${resource}/${body.id}`;
      if (resources.has(name)) return failure(409, `Resource ${body.id} already exists.`);
      const known = resources.has(`${resource.replace("Object", "Class")}/${body.classId}`);
      if (resource.endsWith("Object") && !known) return failure(404, "Class not found.");
      requireWhole(type, body);
      resources.set(name, { ...body, messages: [] });
      return [200, body];
    }
    const known = resources.get(`${resource}/${id}`);
    if (known === undefined) return failure(404, `Resource ${id} not found.`);
    if (verb === "addMessage") {
      known.messages.push(body.message);
      return [200, { resource: known }];
    }
    if (method === "PUT") {
      const kept = keepsMembers.filter((name) => known[name] !== undefined);
      const replaced = {
        ...{ messages: known.messages, ...body },
        ...Object.fromEntries(kept.map((name) => [name, known[name]])),
      };
      requireWhole(type, replaced);
      resources.set(`${resource}/${id}`, replaced);
      return [200, replaced];
    }
    const changed = structuredClone(known);
    merge(changed, body);
    requireWhole(type, changed);
    resources.set(`${resource}/${id}`, changed);
    return [200, changed];
  }

  async function answer(request: IncomingMessage, body: string): Promise<Made> {
    const url = request.url ?? "";
    if (url === "/gp/m/issuer/keys") {
      counts.keys += 1;
      const keyValue = spki(root.publicKey);
      const keyExpiration = String(Date.now() + 3_600_000);
      return [200, { keys: [{ keyValue, protocolVersion: "ECv2SigningOnly", keyExpiration }] }];
    }
    if (url === "/token") return faulty(tokenFault) ?? giveToken(body);
    const call = {
      at: performance.now(),
      method: request.method ?? "",
      path: url.replace("/walletobjects/v1", ""),
      body: body === "" ? {} : JSON.parse(body),
    };
    calls.push(call);
    const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
    if (!tokens.has(token)) return failure(401, "Request had invalid authentication credentials.");
    const made = faulty(await fault(call));
    if (made === "cut") act(call);
    return made ?? act(call);
  }

  const server = createServer((request, response) => {
    void readAll(request).then(async (body) => {
      const made = await answer(request, body);
      if (made === "cut") request.socket.destroy();
      else if (made !== "hang") send(response, ...made);
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  owner.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    counts,
    /** Tokens given so far are worth nothing any more. */
    withdrawTokens: () => tokens.clear(),
    fail(how: (call: GoogleCall) => Fault | Promise<Fault>): void {
      fault = how;
    },
    failTokens(how: Fault): void {
      tokenFault = how;
    },
    /** Null and empty lists are read as if they had not been sent, as gRPC transcoding does. */
    readNullAsAbsent(): void {
      isNullAbsent = true;
    },
    /** These members stay as they are when an object is replaced. */
    keepMembers(...names: string[]): void {
      keepsMembers = names;
    },
    heal(): void {
      fault = () => undefined;
      tokenFault = undefined;
      isNullAbsent = false;
      keepsMembers = [];
    },
    resource: (resource: string, id: string): Json => resources.get(`${resource}/${id}`),
    /** From now on the stand-in does not know it. */
    lose: (resource: string, id: string) => resources.delete(`${resource}/${id}`),
    callsTo: (id: string) =>
      calls.filter(({ path, body }) => path.split("/")[2] === id || body.id === id),
  };
}

function requireWhole(type: string, value: Json): void {
  const missing = missingMember(type, value);
  if (missing !== undefined) throw new GoogleError(400, "invalid", `Missing field: ${missing}.`);
}

function withoutEmpty(value: Json): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const kept = Object.entries<Json>(value).filter(
    ([, inner]) => inner !== null && !(Array.isArray(inner) && inner.length === 0),
  );
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutEmpty(inner)]));
}

/** Null removes, objects are merged, and lists are replaced. */
function merge(known: Json, change: Json): void {
  for (const [name, value] of Object.entries<Json>(change)) {
    if (value === null) delete known[name];
    else if (typeof value !== "object" || Array.isArray(value)) known[name] = value;
    else {
      if (typeof known[name] !== "object" || Array.isArray(known[name])) known[name] = {};
      merge(known[name], value);
    }
  }
}

type Made = [number, Json, (Readonly<Record<string, string>> | undefined)?] | "hang" | "cut";

const faulty = (fault: Fault): Made | undefined => {
  if (fault === undefined || typeof fault === "string") return fault;
  if (typeof fault === "object") return [fault.status, fault.body, fault.headers ?? {}];
  return failure(fault, `As the test wants it: ${fault}.`);
};

function failure(code: number, message: string): [number, Json] {
  return [code, { error: { code, message } }];
}

function send(
  response: ServerResponse,
  status: number,
  body: Json,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    ...headers,
    "content-type": "application/json",
    "cache-control": "max-age=3600",
  });
  response.end(JSON.stringify(body));
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** A callback that the stand-in's keys sign, as Google's would. */
export function signCallback(
  message: { readonly objectId: string } & Readonly<Record<string, unknown>>,
  issuerId = ISSUER_ID,
) {
  const end = Date.now() + 600_000;
  const signedKey = JSON.stringify({
    keyValue: spki(intermediate.publicKey),
    keyExpiration: String(end),
  });
  const signedMessage = JSON.stringify({
    classId: `${issuerId}.some-class`,
    eventType: "save",
    expTimeMillis: end,
    count: 1,
    nonce: crypto.randomUUID(),
    ...message,
  });
  const signed = (key: KeyObject, ...texts: string[]) => {
    const bytes = texts.flatMap((text) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(Buffer.byteLength(text));
      return [length, Buffer.from(text)];
    });
    return sign("sha256", Buffer.concat(bytes), key).toString("base64");
  };
  const [sender, protocol] = ["GooglePayPasses", "ECv2SigningOnly"];
  return {
    protocolVersion: protocol,
    signature: signed(intermediate.privateKey, sender, issuerId, protocol, signedMessage),
    intermediateSigningKey: {
      signedKey,
      signatures: [signed(root.privateKey, sender, protocol, signedKey)],
    },
    signedMessage,
  };
}

export const GOOGLE_FILE = `issuerId: "${ISSUER_ID}"
secrets: { serviceAccount: GOOGLE-SERVICE-ACCOUNT }
`;

/** A tenant whose passes go to the stand-in. */
export async function seedGoogleTenant(
  api: Pick<TestApi, "put" | "operatorKey">,
  tenantId: string,
  more: Readonly<Record<string, string | { base64: string }>> = {},
): Promise<void> {
  await seedPassTenant(api, tenantId, { "server/google.yml": GOOGLE_FILE, ...more });
  const path = `/api/${tenantId}/secrets/GOOGLE-SERVICE-ACCOUNT`;
  const body = { value: SERVICE_ACCOUNT };
  const { status, text } = await api.put(path, { key: api.operatorKey, body });
  if (status >= 300) throw new Error(`Secret not seeded: ${text}`);
}

/** Asks for the save link of a pass. */
export function askForLink(
  api: Pick<TestApi, "post" | "operatorKey">,
  tenantId: string,
  passId: string,
) {
  const path = `/api/${tenantId}/extensions/google/token`;
  return api.post(path, { key: api.operatorKey, body: { passId } });
}

/** Long enough for whatever would still be sent. */
export const quiet = () => sleep(300);
