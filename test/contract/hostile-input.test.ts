import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { assertProblem, shareHostedApi } from "#test/support/hostile.ts";

const KEYS = "/api/acme/admin/apiKeys";
const JSON_TYPE = { "content-type": "application/json" };

/** Texts that no JSON parser may accept, like the n_ files of nst/JSONTestSuite. */
const MALFORMED: readonly (string | Uint8Array)[] = [
  ...[
    "[1 true]",
    "[a\u00e5]",
    '["": 1]',
    '[""],',
    "[,1]",
    "[1,,2]",
    '["x"]]',
    '["",]',
    '["x"',
    "[x",
  ],
  ...[
    "[3[4]]",
    "[fals]",
    "[nul]",
    "[tru]",
    "[,",
    "[1,\n1\n,1",
    '[   , ""]',
    "[*]",
    '["",,]',
    "[1,",
  ],
  ...["[-01]", "[-.123]", "[-1.0.]", "[-2.]", "[-NaN]", "[.-1]", "[.2e-3]", "[0.1.2]", "[0.3e+]"],
  ...["[0.3e]", "[0.e1]", "[0E+]", "[0E]", "[1.0e+]", "[1.0e-]", "[1.0e]", "[1eE2]", "[2.e+3]"],
  ...["[9.e+]", "[Inf]", "[NaN]", "[+1]", "[+Inf]", "[Infinity]", "[-Infinity]", "[-foo]", "[- 1]"],
  ...["[0x1]", "[0x42]", "[012]", "[-012]", "[1 000.0]", "[1+2]", "[\uff11]", "[1a]", "[1ea]"],
  ...['{"x"::"b"}', '{"a":"a" 123}', "{key: 'value'}", '{"a" b}', '{:"b"}', '{"a" "b"}', '{"a":'],
  ...['{"a"', "{1:1}", "{9999E9999:1}", "{null:null}", '{"id":0,,,,,}', "{'a':0}", '{"id":0,}'],
  ...['{"a":"b"}/**/', '{"a":"b"}//', '{"a":"b"}/', '{"a":"b",,"c":"d"}', '{a: "b"}', '{"a":"a'],
  ...[
    '{ "foo" : "bar", "a" }',
    '{"a":"b"}#',
    '{"a":true} "x"',
    "{",
    "{]",
    "{,",
    "{[",
    "[}",
    "]",
    "}",
  ],
  ...[
    '["\\uD800\\"]',
    '["\\u00A"]',
    '["\\x00"]',
    '["\\',
    '["\\"]',
    '["\\\\\\"]',
    '["\\a"]',
    '["\\u"]',
  ],
  ...["['x']", '"', "'single quote'", "abc", '["new\nline"]', '["\t"]', '"', '"\\UA66D"', '""x'],
  ...[
    "<.>",
    "[<null>]",
    "[True]",
    "True",
    "TRUE",
    "\u00e5",
    "*",
    "2@",
    "{}}",
    "\u2060",
    "[\u2060]",
  ],
  ...[
    '{"asd":"asd"',
    '["asd]',
    "[\n4\n,\n5\n,",
    "\u00ef\u00bb\u00bf{}x",
    "undefined",
    "//\n{}",
    "{}\0",
  ],
  new Uint8Array([0x5b, 0x22, 0xff, 0x22, 0x5d]),
  new Uint8Array([0xe5]),
  new Uint8Array([0xef, 0xbb]),
  new Uint8Array([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
];

describe("hostile bodies", () => {
  const api = shareHostedApi();
  let key = "";

  before(async () => {
    await api().seed.tenant("acme");
    key = await api().seed.key("acme", "ApiKey.Read", "ApiKey.Write", "Pass.Read");
  });

  const post = (rawBody: string | Uint8Array, headers: Record<string, string> = JSON_TYPE) =>
    api().post(KEYS, { key, rawBody, headers });

  it("400: what is not JSON is refused as unreadable, whatever the mistake", async () => {
    for (const body of MALFORMED) {
      assertProblem(await post(body), 400, "request.malformed", JSON.stringify(body.toString()));
    }
  });

  it("400: JSON that is not an object, or not the right one, is told by field", async () => {
    for (const body of ["null", "true", "0", '"x"', "[]", "[[]]", "-0", "1e300", "{}"]) {
      const answer = await post(body);
      assertProblem(answer, 400, "request.invalid", body);
      assert.ok(Object.keys(answer.body.errors).length > 0, body);
    }
  });

  it("400: a number that could not be kept is named", async () => {
    for (const number of [
      "1e400",
      "-1e400",
      "1e-400",
      "12345678901234567890",
      "123456789012345.1234",
    ]) {
      assertProblem(await post(number), 400, "request.malformed", number);
      const answer = await post(`{"scopes":[${number}]}`);
      assertProblem(answer, 400, "request.malformed", number);
      assert.deepEqual(Object.keys(answer.body.errors), ["scopes[0]"], number);
    }
  });

  it("400: an empty body says that one is needed", async () => {
    assertProblem(await post(""), 400, "request.malformed");
    assertProblem(await post(" \n "), 400, "request.malformed");
    assertProblem(await api().post(KEYS, { key }), 400, "request.malformed");
  });

  it("400: nesting of 10,000 levels is refused, open or closed", async () => {
    for (const depth of [65, 10_000, 100_000]) {
      const arrays = `${"[".repeat(depth)}${"]".repeat(depth)}`;
      const objects = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
      for (const body of [arrays, objects, "[".repeat(depth), `{"name":${arrays}}`]) {
        const answer = await post(body);
        assertProblem(answer, 400, "request.malformed");
        assert.match(answer.body.detail, /nested deeper/);
      }
    }
  });

  it("400: a key sent twice is named", async () => {
    for (const body of [
      '{"name":"a","scopes":["Pass.Read"],"name":"b"}',
      '{"name":"a","n\\u0061me":"b","scopes":["Pass.Read"]}',
    ]) {
      const answer = await post(body);
      assertProblem(answer, 400, "request.malformed");
      assert.match(answer.body.detail, /'name' appears twice/);
    }
  });

  it("400: names that reach for prototypes pollute nothing", async () => {
    for (const body of [
      '{"__proto__":{"polluted":1},"name":"a","scopes":["Pass.Read"]}',
      '{"\\u005f_proto__":{"polluted":1}}',
      '{"name":{"__proto__":{"polluted":1}}}',
      '{"constructor":{"prototype":{"polluted":1}}}',
    ]) {
      assertProblem(await post(body), 400, "request.malformed", body);
    }
    const names = Object.getOwnPropertyNames(Object.prototype).filter(
      (name) => name !== "__proto__",
    );
    for (const name of names) {
      const answer = await post(`{"name":"a","scopes":["Pass.Read"],"${name}":1}`);
      assertProblem(answer, 400, "request.invalid", name);
      assert.deepEqual(answer.body.errors, { [name]: ["is not a known property"] });
    }
    const files = `{"files":{"tenant.yml":"name: x","__proto__":"polluted: 1"}}`;
    const put = { key: api().operatorKey, rawBody: files, headers: JSON_TYPE };
    assertProblem(await api().put("/api/tenants/acme", put), 400, "request.malformed");
  });

  it("400: NUL and half surrogates are refused wherever a string may stand", async () => {
    for (const text of ["\\u0000", "a\\u0000b", "\\ud800", "\\udc00\\ud800", "\\uDFFF", "\0"]) {
      for (const body of [
        `{"name":"${text}","scopes":["Pass.Read"]}`,
        `{"name":"a","scopes":["${text}"]}`,
        `{"name":"a","scopes":["Pass.Read"],"expiresAt":"${text}"}`,
        `{"${text}":1}`,
      ]) {
        assertProblem(await post(body), 400, "request.malformed", body);
      }
    }
  });

  it("415: only JSON in UTF-8 is read", async () => {
    const body = '{"name":"a","scopes":["Pass.Read"]}';
    for (const type of [
      ...["text/plain", "text/html", "application/xml", "application/x-www-form-urlencoded"],
      ...[
        "multipart/form-data; boundary=x",
        "application/jsonp",
        "application/json5",
        "json",
        "*/*",
      ],
      ...["application/json; charset=utf-16", "application/json; charset=iso-8859-1", "text/yaml"],
      ...["application/json, text/plain", "application/json; charset=utf-8; charset=utf-16"],
      ...["application/", "/", ";", 'application/json;charset="utf-7"', "+json", "a/b+jsonx"],
    ]) {
      assertProblem(
        await post(body, { "content-type": type }),
        415,
        "request.unsupported-type",
        type,
      );
    }
    const missing = await post(Buffer.from(body), {});
    assertProblem(missing, 415, "request.unsupported-type", "no content type");
    const gzip = await post(body, { ...JSON_TYPE, "content-encoding": "gzip" });
    assertProblem(gzip, 415, "request.unsupported-type", "gzip");
  });

  it("201: every way to say JSON is read", async () => {
    const types = [
      ...["application/json", "text/json", "application/merge-patch+json", "APPLICATION/JSON"],
      ...["application/json; charset=UTF-8", 'application/json;charset="utf-8"', "text/json ; a=b"],
    ];
    for (const [index, type] of types.entries()) {
      const body = `{"name":"type-${index}","scopes":["Pass.Read"]}`;
      assert.equal((await post(body, { "content-type": type })).status, 201, type);
    }
    const bom = Buffer.from(`\ufeff{"name":"bom","scopes":["Pass.Read"]}`);
    assert.equal((await post(bom)).status, 201, "a byte order mark");
  });
});
