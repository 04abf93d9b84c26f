import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { assertProblem, shareHostedApi } from "#test/support/hostile.ts";
import { NAUGHTY_STRINGS } from "#test/support/naughty-strings.ts";
import { exchange } from "#test/support/raw-http.ts";

const KEYS = "/api/acme/admin/apiKeys";

describe("hostile addresses, headers and values", () => {
  const api = shareHostedApi();
  let key = "";

  before(async () => {
    await api().seed.tenant("acme");
    key = await api().seed.key("acme", "ApiKey.Read", "ApiKey.Write", "Pass.Read");
  });

  /** Sends the path unchanged. An ordinary client would normalise it first. */
  async function request(method: string, path: string, headers: readonly string[] = []) {
    const lines = [`${method} ${path} HTTP/1.1`, "Host: localhost", `X-API-KEY: ${key}`];
    const end = ["Connection: close", "", ""];
    const { answers } = await exchange(api().url, [[...lines, ...headers, ...end].join("\r\n")]);
    const [answer] = answers;
    assert.ok(answer !== undefined, `${method} ${path} is answered`);
    return answer;
  }

  it("404: nothing there says so, with the shape of every other problem", async () => {
    for (const path of [
      ...[
        "/",
        "/api",
        "/api/",
        "/nowhere",
        "/api/acme/",
        "/api/acme/nothing",
        `${KEYS}/`,
        `/${KEYS}`,
      ],
      ...[
        "//",
        "/./api/warmup",
        "/api/./warmup",
        "/api/../api/warmup",
        "/api/warmup/",
        "/api//warmup",
      ],
      ...[
        "/%2e%2e/api/warmup",
        "/api/%2E%2E/warmup",
        "/api%2Fwarmup",
        "/..%2f..%2fetc/passwd",
        "*",
      ],
      ...["/api/warmup;x=1", "/API/WARMUP", "/api/warmup%20", "/api/warmup%2f", "/\\api\\warmup"],
    ]) {
      assertProblem(await request("GET", path), 404, "route.not-found", path);
    }
  });

  it("4xx: tricks with a parameter stay inside the parameter", async () => {
    for (const name of [
      ...[
        "..",
        ".",
        "%2e%2e",
        "..%2fx",
        "%2e%2e%2f%2e%2e",
        "a%2Fb",
        "%5c",
        "%20",
        "a%0d%0ab",
        "%F0%9F%98%80",
      ],
      ...[
        "'",
        "%27%20or%201=1",
        "*",
        "__proto__",
        "constructor",
        "%25",
        "%2500",
        "a;b",
        "a:b",
        "a,b",
      ],
    ]) {
      assertProblem(await request("GET", `${KEYS}/${name}`), 404, "api-key.not-found", name);
    }
    const foreign = await request("GET", "/api/acme%2F..%2Frival/admin/apiKeys");
    assertProblem(foreign, 401, "access.unauthenticated");
  });

  it("400: an address with a broken or forbidden encoding", async () => {
    for (const path of [
      ...[
        "/api/%",
        "/api/%zz/admin/apiKeys",
        `${KEYS}/%`,
        `${KEYS}/%e0%a4%a`,
        `${KEYS}/%ff`,
        `${KEYS}/%c0%ae`,
      ],
      ...[
        `${KEYS}/%ed%a0%80`,
        `${KEYS}/a%00b`,
        `${KEYS}?pageSize=%00`,
        `${KEYS}?%00=1`,
        "/nowhere/%E0",
      ],
    ]) {
      assertProblem(await request("GET", path), 400, "request.malformed", path);
    }
  });

  it("414 and 431: an address that is too long", async () => {
    const part = await request("GET", `${KEYS}/${"a".repeat(600)}`);
    assertProblem(part, 414, "request.uri-too-long");
    const whole = await request("GET", `/${"a".repeat(40_000)}`);
    assertProblem(whole, 431, "request.headers-too-large");
    assertProblem(await request("GET", `/${"a/".repeat(10_000)}`), 404, "route.not-found");
    // The long query is read completely, and refused only for its unknown parameter.
    const long = await request("GET", `/api/warmup?${"a=b&".repeat(5_000)}`);
    assertProblem(long, 400, "request.invalid");
    assert.deepEqual(Object.keys(long.body.errors), ["a"]);
  });

  it("405: a known address names what it answers to, whatever the method", async () => {
    for (const method of [
      "PATCH",
      "PUT",
      "DELETE",
      "OPTIONS",
      "TRACE",
      "PROPFIND",
      "PURGE",
      "M-SEARCH",
    ]) {
      const answer = await request(method, KEYS);
      assertProblem(answer, 405, "route.method-not-allowed", method);
      assert.equal(answer.headers.get("allow"), "GET, HEAD, POST", method);
    }
    for (const [path, allow] of [
      ["/", "GET, HEAD"],
      ["/docs", "GET, HEAD"],
      ["/authorize", "GET, HEAD"],
      ["/jwks", "GET, HEAD"],
    ]) {
      const answer = await request("DELETE", path ?? "");
      assertProblem(answer, 405, "route.method-not-allowed", path ?? "");
      assert.equal(answer.headers.get("allow"), allow, path);
    }
    for (const method of ["OPTIONS", "PROPFIND", "TRACE"]) {
      assertProblem(await request(method, "/nowhere"), 404, "route.not-found", method);
    }
  });

  it("200 and 404: HEAD is GET without the body", async () => {
    const found = await request("HEAD", KEYS);
    assert.equal(found.status, 200);
    assert.equal(found.body, undefined);
    assert.ok(Number(found.headers.get("content-length")) > 0);
    assert.equal((await request("HEAD", `${KEYS}/none`)).status, 404);
    assert.equal((await request("HEAD", "/nowhere")).status, 404);
  });

  it("200: the answer's type follows Accept, and nonsense gets JSON", async () => {
    const long = `${"text/x, ".repeat(2_000)}text/plain`;
    for (const [accept, type, problemType = type] of [
      ["application/json", "application/json"],
      ["text/json", "text/json"],
      ["text/plain", "text/plain"],
      ["text/plain;q=0.5, text/json;q=0.9", "text/json"],
      ["application/problem+json", "application/json", "application/problem+json"],
      [
        "application/json, application/problem+json",
        "application/json",
        "application/problem+json",
      ],
      ...[
        "*/*",
        "image/png",
        "nonsense",
        ",,,;;;",
        "application/json;q=x",
        "\u00ff",
        long,
        '"',
      ].map((odd) => [odd, "application/json"] as const),
    ] as const) {
      const found = await request("GET", KEYS, [`Accept: ${accept}`]);
      assert.equal(found.status, 200, accept);
      assert.equal(found.headers.get("content-type"), `${type}; charset=utf-8`, accept);
      const missing = await request("GET", `${KEYS}/none`, [`Accept: ${accept}`]);
      assertProblem(missing, 404, "api-key.not-found", accept);
      assert.equal(missing.headers.get("content-type"), `${problemType}; charset=utf-8`, accept);
    }
  });

  it("4xx: naughty strings in every field of a body are told by field or stored as sent", async () => {
    for (const text of NAUGHTY_STRINGS) {
      for (const [field, body] of [
        ["name", { name: text, scopes: ["Pass.Read"] }],
        ["scopes", { name: "fine", scopes: [text] }],
        ["expiresAt", { name: "fine", scopes: ["Pass.Read"], expiresAt: text }],
      ] as const) {
        const created = await api().post(KEYS, { key, body });
        if (created.status !== 201) {
          assertProblem(created, 400, "request.invalid", `${field}: ${text}`);
          const [first = ""] = Object.keys(created.body.errors);
          assert.ok(first.startsWith(field), `${first} names ${field}`);
          continue;
        }
        assert.equal(field, "name", `${field}: ${text}`);
        assert.equal(created.body.name, text);
        const path = `${KEYS}/${encodeURIComponent(text)}`;
        assert.equal((await api().get(path, { key })).body.name, text);
        assert.equal((await api().delete(path, { key })).status, 204);
      }
    }
  });

  it("4xx: naughty strings in the address, the query and the headers break nothing", async () => {
    for (const text of NAUGHTY_STRINGS) {
      const encoded = encodeURIComponent(text);
      const visible = text.replaceAll(/[^\x21-\x7e]/g, "?").slice(0, 1_000);
      const answers = await Promise.all([
        api().get(`${KEYS}/${encoded}`, { key }),
        api().get(`/api/${encoded}/admin/apiKeys`, { key: api().operatorKey }),
        api().get(`/api/tenants?${encoded}=${encoded}`, { key: api().operatorKey }),
        ...[
          "filter[0].field",
          "filter[0].value",
          "sortBy[0].field",
          "cursor",
          "pageSize",
          "pageIndex",
        ].map((name) => api().get(`${KEYS}?${name}=${encoded}`, { key })),
        api().get(
          `${KEYS}?filter[0].field=name&filter[0].operator=contains&filter[0].value=${encoded}`,
          { key },
        ),
        ...[
          "If-Match",
          "If-None-Match",
          "Idempotency-Key",
          "X-Request-Id",
          "Accept",
          "Content-Type",
        ].map((name) => api().post(KEYS, { key, body: {}, headers: { [name]: visible } })),
        api().get(KEYS, { key: visible }),
        api().get(KEYS, { bearer: visible }),
        api().get(KEYS, { headers: { authorization: visible } }),
      ]);
      for (const { status } of answers) assert.ok(status < 500, `${status}: ${text}`);
    }
  });

  it("4xx: naughty strings in a tenant's files are told by file or stored", async () => {
    const put = (files: Record<string, unknown>, message?: string) =>
      api().put("/api/tenants/naughty", { key: api().operatorKey, body: { files, message } });
    const yml = { "tenant.yml": "name: naughty\n" };
    for (const text of NAUGHTY_STRINGS.filter((name) => name !== "__proto__")) {
      const answers = [
        await put({ "tenant.yml": text }),
        await put({ "tenant.yml": `name: ${JSON.stringify(text)}\n` }),
        await put({ ...yml, [text]: "x" }),
        await put({ ...yml, "a.txt": text }),
        await put({ ...yml, "a.bin": { base64: text } }),
        await put(yml, text),
      ];
      for (const { status, text: sent } of answers)
        assert.ok(status < 500, `${status}: ${text} ${sent}`);
    }
    for (const name of ["\\0", "a\\x00b", "\\ud800", "\\u0000"]) {
      const answer = await put({ "tenant.yml": `name: "${name}"\n` });
      assertProblem(answer, 400, "configuration.invalid", name);
    }
    const incompressible = Array.from({ length: 9_000 }, (_, index) =>
      ((index * 7_919 + index ** 2) % 36).toString(36),
    ).join("");
    assertProblem(
      await put({ ...yml, [incompressible]: "x" }),
      400,
      "configuration.invalid",
      "long path",
    );
  });
});
