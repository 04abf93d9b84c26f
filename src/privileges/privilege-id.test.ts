import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { PASS_FILES } from "#test/support/pass-tenant.ts";
import { openPrivilegeStage } from "#test/support/privilege-stage.ts";
import { exchange } from "#test/support/raw-http.ts";
import { startApi } from "#test/support/start-api.ts";

/** Whatever has an id can be named by an address, and clients take `.` and `..` out of addresses. */

const api = await startApi({ after }, { env: { ROLES: "api" } });
const key = api.operatorKey;
const stage = await openPrivilegeStage(api, "acme");
const LOYALTY = "server/passes/loyalty.yml";

describe("the id of a privilege", () => {
  it("400: '.' and '..' in a POST, a PUT and a scan, by its field", async () => {
    const pass = await stage.pass();
    for (const privilegeId of [".", ".."]) {
      const terms = { privilegeId, type: "Unlimited" };
      const redeem = { privilegeId, amount: 1 };
      const scan = { data: pass.id, type: "qrcode", redeem };
      for (const [answer, field] of [
        [await pass.create(terms), "privilegeId"],
        [await pass.put("dot", terms), "privilegeId"],
        [await api.post("/api/acme/scans", { key, body: scan }), "redeem.privilegeId"],
      ] as const) {
        const { status, body, text } = answer;
        assert.deepEqual([status, Object.keys(body.errors ?? {})], [400, [field]], text);
        assert.match(body.errors[field][0], /not '\.' or '\.\.' alone/);
      }
    }
    assert.deepEqual(await pass.eventNames(), []);
  });

  it("400: '.' and '..' in the address, for a client that leaves them there", async () => {
    const pass = await stage.pass();
    const body = '{"type":"Unlimited"}';
    const { host } = new URL(api.url);
    for (const id of [".", "..", "%2e", "%2E."]) {
      const head = [
        `PUT ${pass.base}/${id} HTTP/1.1`,
        `host: ${host}`,
        `x-api-key: ${key}`,
        "content-type: application/json",
        `content-length: ${body.length}`,
        "connection: close",
      ];
      const { answers } = await exchange(api.url, [`${head.join("\r\n")}\r\n\r\n${body}`]);
      assert.equal(answers[0]?.status, 400, id);
      assert.deepEqual(Object.keys(answers[0]?.body.errors), ["privilegeId"]);
    }
    assert.deepEqual(await pass.eventNames(), []);
  });

  it("2xx: any other that has dots", async () => {
    const pass = await stage.pass();
    for (const privilegeId of ["...", ".a", "a.", "..-", "a.b"]) {
      await pass.having({ privilegeId, type: "Unlimited" });
      assert.equal((await pass.get(privilegeId)).body.privilegeId, privilegeId);
      assert.equal((await pass.move(privilegeId, { value: -1 })).status, 201);
      assert.equal((await pass.delete(privilegeId)).status, 204);
    }
  });

  it("200: '.' and '..' in a template, with a warning, because former releases published them", async () => {
    const findingsOf = async (id: string) => {
      const text = String(PASS_FILES[LOYALTY]).replace("id: points,", `id: "${id}",`);
      const body = { files: { [LOYALTY]: text } };
      const { status } = await api.patch("/api/tenants/acme", { key, body });
      const { body: tested } = await api.get("/api/tenants/acme/test", { key });
      const findings: Record<string, string>[] = status === 200 ? tested.findings : [];
      return [
        status,
        ...findings.flatMap(({ severity, code = "" }) =>
          code.startsWith("privilege.") ? `${severity} ${code}` : [],
        ),
      ];
    };
    assert.deepEqual(await findingsOf("a b"), [400]);
    for (const id of [".", ".."]) {
      assert.deepEqual(await findingsOf(id), [200, "warning privilege.id-not-addressable"]);
      const pass = await stage.pass();
      const { body } = await api.get(`/api/acme/passes/${pass.id}?expand=privileges`, { key });
      assert.deepEqual(
        body.privileges.map(({ privilegeId }: { privilegeId: string }) => privilegeId),
        [id],
      );
    }
    assert.deepEqual(await findingsOf("..."), [200]);
  });
});
