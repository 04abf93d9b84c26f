import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { DEVICE_SCOPES, SCOPE_NAMES, toBearerScope } from "#src/api-keys/public.ts";
import { makeCredentials } from "#test/support/access-credentials.ts";
import type { ApiResponse, RequestOptions } from "#test/support/client.ts";
import { pairInTurn } from "#test/support/combinations.ts";
import { addressOf, newMark, type Operation, readOperations } from "#test/support/operations.ts";
import { startApi } from "#test/support/start-api.ts";

/*
 * Tests access to every operation of the served document with every kind of credential. The
 * expected answer follows from three facts of an operation: its scope, whether its address has a
 * tenant, and whether that tenant must exist. So new operations are tested without any change here:
 *
 *   401  no credential, or one that is wrong in any way, also a key of another tenant
 *   403  a valid credential without the scope, the role or the tenant; the answer says which
 *   404  access to a tenant that does not exist
 *   else access is given; the tests of the operation itself check what happens then
 *
 * Bodies are malformed on purpose: access must be refused before the body is read.
 */

const [OURS, FOREIGN, MISSING] = ["acme", "rival", "nobody-here"] as const;
const REQUEST_ID = "always-the-same";
const LEAK =
  /\bat [^"]+:\d+:\d+|node_modules|file:\/\/|\.ts\b|\bselect\b.+\bfrom\b|\binsert into\b|\bpg_|postgres|\bviolates\b/i;
const VARYING_HEADERS = new Set([
  "date",
  "ratelimit",
  "ratelimit-policy",
  "connection",
  "keep-alive",
]);

// Every request has its own address, because failed requests are counted by address.
const api = await startApi({ after }, { env: { TRUST_PROXY: "1" } });
for (const tenantId of [OURS, FOREIGN]) await api.seed.tenant(tenantId);
const operations = await readOperations(api);
const closed = operations.filter(({ isPublic }) => !isPublic);
/** Those that ask for a right, and not only for a credential. */
const guarded = closed.filter(({ needsNoScope }) => !needsNoScope);
const open = operations.filter(({ isPublic }) => isPublic);
const inTenant = closed.filter(({ hasTenant }) => hasTenant);
const credentials = await makeCredentials(api, OURS, FOREIGN);

type Credential = Pick<RequestOptions, "key" | "bearer">;

let sent = 0;
function send(
  operation: Operation,
  credential: Credential,
  tenantId: string = OURS,
  method = operation.method,
): Promise<ApiResponse> {
  sent += 1;
  const address = `10.${(sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`;
  return api.request(method, addressOf(operation, { tenantId }), {
    ...credential,
    ...(operation.hasBody ? { rawBody: '{"files":' } : {}),
    headers: {
      "x-forwarded-for": address,
      "x-request-id": REQUEST_ID,
      ...(operation.hasBody ? { "content-type": "application/json" } : {}),
    },
  });
}

function assertNoLeak({ headers, text }: ApiResponse, where: string): void {
  const bytes = `${[...headers].join("\n")}\n${text}`;
  assert.doesNotMatch(bytes, LEAK, where);
}

/** Every refusal has the members of RFC 9457, and two more: `code` and `requestId`. */
function assertProblem(answer: ApiResponse, status: number, code: string, where: string): void {
  assert.equal(answer.status, status, `${where}: ${answer.text}`);
  assert.match(answer.headers.get("content-type") ?? "", /^application\/json/, where);
  assert.equal(answer.headers.get("x-request-id"), REQUEST_ID, where);
  assert.equal(answer.headers.get("cache-control"), "no-store", where);
  const { title, detail, ...members } = answer.body;
  assert.ok(title.length > 3 && detail.length > 10, where);
  const { type, status: told, instance, code: given, requestId } = members;
  assert.deepEqual(
    { type, told, instance, given, requestId },
    {
      type: `urn:problem:${code}`,
      told: status,
      instance: `urn:request:${REQUEST_ID}`,
      given: code,
      requestId: REQUEST_ID,
    },
    where,
  );
  assertNoLeak(answer, where);
}

function assertUnauthenticated(answer: ApiResponse, where: string): void {
  assertProblem(answer, 401, "access.unauthenticated", where);
  assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer /, where);
}

/** The answer names what the credential lacks, and says nothing about the body. */
function assertForbidden(
  answer: ApiResponse,
  missing: { readonly role: string } | { readonly scope: string | undefined },
  where: string,
): void {
  assertProblem(answer, 403, "access.scope-missing", where);
  const { requiredScope, requiredRole, detail } = answer.body;
  // For a missing Global Administrator role, the answer also names the scope that belongs to it.
  const besideRole = "role" in missing && missing.role === "Global Administrator";
  const [role, scope] =
    "role" in missing
      ? [missing.role, besideRole ? "platform:admin" : undefined]
      : [undefined, missing.scope];
  assert.deepEqual([requiredRole, requiredScope], [role, scope], where);
  assert.ok(detail.includes(role ?? scope), where);
}

/** A key can never have the role, so for such operations the role is what is missing. */
function missingInKey({ needsRole, scope }: Operation) {
  return needsRole ? { role: "Global Administrator" } : { scope };
}

const bearerForm = ({ scope }: Operation): string => toBearerScope(scope) ?? scope;

function assertLetIn(answer: ApiResponse, where: string): void {
  assert.ok(
    ![401, 403, 429, 500].includes(answer.status),
    `${where}: ${answer.status} ${answer.text}`,
  );
  assert.notEqual(answer.body?.code, "tenant.not-found", where);
  // The malformed body is refused only after access is given.
  if (answer.status === 400) assert.equal(answer.body.code, "request.malformed", where);
  assertNoLeak(answer, where);
}

/** Everything in an answer that a caller could compare with another answer. */
function fingerprint({ status, headers, text }: ApiResponse): string {
  const kept = [...headers].filter(([name]) => !VARYING_HEADERS.has(name)).sort();
  return JSON.stringify([status, kept, text]);
}

describe("a credential that is none", () => {
  it("the document has operations of every kind to try", () => {
    assert.ok(open.length > 0 && inTenant.length > 0);
    assert.ok(closed.some(({ needsRole }) => needsRole));
    // The only operation that is allowed for a tenant that does not exist: it creates the tenant.
    assert.deepEqual(
      inTenant.filter(({ needsTenant }) => !needsTenant).map(({ op }) => op),
      ["tenant.put"],
    );
  });

  for (const [name, credential] of Object.entries(credentials.refused)) {
    it(`401: ${name}`, async () => {
      for (const operation of closed) {
        assertUnauthenticated(await send(operation, credential), `${operation.op}, ${name}`);
      }
    });
  }

  it("401: to HEAD as to GET", async () => {
    for (const operation of closed.filter(({ method }) => method === "GET")) {
      const { status, text } = await send(operation, {}, OURS, "HEAD");
      assert.deepEqual({ status, text }, { status: 401, text: "" }, operation.op);
    }
  });
});

describe("a credential that is right elsewhere", () => {
  it("401: another tenant's key; 403 where the address names no tenant", async () => {
    for (const operation of guarded) {
      const answer = await send(operation, { key: credentials.foreignKey });
      if (operation.hasTenant) assertUnauthenticated(answer, operation.op);
      else assertForbidden(answer, missingInKey(operation), operation.op);
    }
  });

  it("403: a person of another tenant", async () => {
    for (const operation of guarded) {
      const answer = await send(operation, { bearer: credentials.foreignPerson });
      assertProblem(answer, 403, "access.scope-missing", operation.op);
    }
  });

  it("401, 403: a foreign tenant answers as one that does not exist or cannot, to the byte", async () => {
    const ours: Record<string, Credential> = {
      "a key": { key: credentials.fullKey },
      "a key without scopes that matter": { key: await api.seed.key(OURS, "Sftp.Read") },
      "a device": { key: credentials.deviceKey },
      "a person": { bearer: credentials.person },
      "a person with few scopes": { bearer: await credentials.limitedPerson("tenant.sftp:read") },
      nobody: {},
      "an unknown key": credentials.refused["an unknown key"] ?? {},
    };
    // Who is let in depends on operation and credential, and on credential and tenant, but not on all three at
    // once: every two of them meet, because the other tenants take turns. The sign for all tenants is tried
    // with each of them.
    const others = [MISSING, "NOT-an-id", "a", "x".repeat(400)];
    for (const [place, operation] of inTenant.entries()) {
      const scoped = await credentials.limitedPerson(bearerForm(operation));
      const all = Object.entries({
        ...ours,
        "a person with the scope needed": { bearer: scoped } satisfies Credential,
      });
      for (const [which, [name, credential]] of all.entries()) {
        const foreign = await send(operation, credential, FOREIGN);
        const expected = name.includes("person") ? 403 : 401;
        assert.equal(foreign.status, expected, `${operation.op}, ${name}`);
        for (const other of ["%2A", ...pairInTurn(others, place + which, all.length)]) {
          const answer = await send(operation, credential, other);
          const where = `${operation.op}, ${name}, ${other}`;
          assert.equal(fingerprint(answer), fingerprint(foreign), where);
        }
      }
    }
  });
});

describe("a tenant that does not exist", () => {
  it("404: to whoever may enter every tenant, or was given rights in one that is not there", async () => {
    const needing = inTenant.filter(({ needsTenant }) => needsTenant);
    for (const [place, operation] of needing.entries()) {
      const scope = bearerForm(operation);
      const everywhere = Object.entries<Credential>({
        operator: { key: api.operatorKey },
        "Global Administrator": { bearer: credentials.globalPerson },
        "Global Administrator with one scope": { bearer: await credentials.limitedGlobal(scope) },
      });
      const tenantIds = [MISSING, "%2A", "NOT-an-id"];
      // Every two of operation, credential and tenant meet, because the tenants take turns.
      for (const [which, [name, credential]] of everywhere.entries()) {
        for (const tenantId of pairInTurn(tenantIds, place + which, everywhere.length)) {
          const answer = await send(operation, credential, tenantId);
          assertProblem(answer, 404, "tenant.not-found", `${operation.op}, ${name}, ${tenantId}`);
        }
      }
      const ghost = await send(operation, { bearer: credentials.personOf(MISSING) }, MISSING);
      if (operation.needsRole) {
        assertForbidden(ghost, { role: "Global Administrator" }, operation.op);
        continue;
      }
      assertProblem(ghost, 404, "tenant.not-found", `${operation.op}, a person of it`);
    }
  });
});

const keys = new Map<string, Promise<string>>();

/** One key for all operations that ask for the same scopes. */
function keyWith(scopes: readonly string[]): Promise<string> {
  const key = keys.get(scopes.join()) ?? api.seed.key(OURS, ...scopes);
  keys.set(scopes.join(), key);
  return key;
}

/** All scopes that do not give access to the operation. */
function scopesBeside({ scope, orScopes }: Operation) {
  return SCOPE_NAMES.filter((name) => name !== scope && !orScopes.includes(name));
}

describe("a credential that is right and too weak", () => {
  it("403: a key with every scope but the one needed, naming it", async () => {
    for (const operation of guarded) {
      const key = await keyWith(scopesBeside(operation));
      assertForbidden(await send(operation, { key }), missingInKey(operation), operation.op);
    }
  });

  it("403: a person whose token is limited to all scopes but the one needed", async () => {
    const all = ["platform:admin", ...SCOPE_NAMES.map((name) => toBearerScope(name) ?? "")];
    for (const operation of guarded) {
      const scope = bearerForm(operation);
      const lettingIn = [scope, ...operation.orScopes.map((name) => toBearerScope(name))];
      const others = all.filter((name) => !lettingIn.includes(name)).join(" ");
      const global = await send(operation, { bearer: await credentials.limitedGlobal(others) });
      assertForbidden(global, { scope }, operation.op);
      const person = await send(operation, { bearer: await credentials.limitedPerson(others) });
      const lacks = operation.needsRole ? { role: "Global Administrator" } : { scope };
      assertForbidden(person, lacks, operation.op);
    }
  });

  it("403: a person whose token names no scope, or none that there is", async () => {
    for (const operation of guarded) {
      for (const scope of ["", "openid email", "tenant.nope:read", operation.scope]) {
        // `platform:admin` is the same for keys and for tokens, so it would give access.
        if (scope === bearerForm(operation)) continue;
        const bearer = await credentials.limitedGlobal(scope);
        const where = `${operation.op}, '${scope}'`;
        assertForbidden(await send(operation, { bearer }), { scope: bearerForm(operation) }, where);
      }
    }
  });

  it("403: a device beyond scanning and reading passes", async () => {
    const scopes: ReadonlySet<string> = new Set(DEVICE_SCOPES);
    for (const operation of guarded) {
      const answer = await send(operation, { key: credentials.deviceKey });
      if (scopes.has(operation.scope)) assertLetIn(answer, operation.op);
      else assertForbidden(answer, missingInKey(operation), operation.op);
    }
  });

  it("403: a Tenant Administrator where the whole installation is meant", async () => {
    for (const operation of guarded.filter(({ needsRole }) => needsRole)) {
      for (const credential of [{ bearer: credentials.person }, { key: credentials.fullKey }]) {
        const answer = await send(operation, credential);
        assertForbidden(answer, { role: "Global Administrator" }, operation.op);
      }
    }
  });
});

describe("a credential that is right", () => {
  it("let in: the operator and a Global Administrator, everywhere", async () => {
    for (const operation of closed) {
      for (const credential of [{ key: api.operatorKey }, { bearer: credentials.globalPerson }]) {
        const tenantId = operation.endsTenant ? newMark("ended") : OURS;
        if (operation.endsTenant) await api.seed.tenant(tenantId);
        assertLetIn(await send(operation, credential, tenantId), operation.op);
      }
    }
  });

  it("let in: a Global Administrator with exactly the scope needed", async () => {
    for (const operation of closed) {
      const tenantId = operation.endsTenant ? newMark("ended") : OURS;
      if (operation.endsTenant) await api.seed.tenant(tenantId);
      const bearer = await credentials.limitedGlobal(bearerForm(operation));
      assertLetIn(await send(operation, { bearer }, tenantId), operation.op);
    }
  });

  it("let in: a key and a token with exactly the scope needed, and a Tenant Administrator", async () => {
    for (const operation of inTenant.filter(({ needsRole }) => !needsRole)) {
      for (const scope of [operation.scope, ...operation.orScopes]) {
        const key = await keyWith([scope]);
        const bearer = await credentials.limitedPerson(toBearerScope(scope) ?? "");
        for (const credential of [{ key }, { bearer }, { bearer: credentials.person }]) {
          assertLetIn(await send(operation, credential), operation.op);
        }
      }
    }
  });
});

describe("an operation that needs a credential and no scope", () => {
  it("let in: a key, a device, and people with a scope or with none, of any tenant", async () => {
    const all: Record<string, Credential> = {
      "a key": { key: await api.seed.key(OURS, "Sftp.Read") },
      "a foreign key": { key: credentials.foreignKey },
      "a device": { key: credentials.deviceKey },
      "a person": { bearer: credentials.person },
      "a person with one scope": { bearer: await credentials.limitedPerson("tenant.sftp:read") },
      "a person without a scope": { bearer: await credentials.limitedPerson("openid") },
    };
    const free = closed.filter(({ needsNoScope }) => needsNoScope);
    assert.ok(free.every(({ hasTenant }) => !hasTenant));
    for (const operation of free) {
      for (const [name, credential] of Object.entries(all)) {
        assertLetIn(await send(operation, credential), `${operation.op}, ${name}`);
      }
    }
  });
});

describe("an operation open to everyone", () => {
  it("200: without a key, and no bad credential spoils it", async () => {
    for (const operation of open) {
      const plain = await send(operation, {});
      // A malformed body is read, and refused, as from anybody who was let in; so is a secret part of
      // the address that nobody was given.
      const hasSecretAddress = /\{\w+Token\}/.test(operation.path);
      if (operation.hasBody || hasSecretAddress) assertLetIn(plain, operation.op);
      else assert.ok(plain.status < 300, `${operation.op}: ${plain.status}`);
      assertNoLeak({ ...plain, text: "" }, operation.op);
      for (const [name, credential] of Object.entries(credentials.refused)) {
        const answer = await send(operation, credential);
        assert.equal(fingerprint(answer), fingerprint(plain), `${operation.op}, ${name}`);
      }
    }
  });
});
