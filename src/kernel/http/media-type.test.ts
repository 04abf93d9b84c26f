import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isJsonMediaType, negotiateJson, negotiateProblem, parseMediaType } from "./media-type.ts";

describe("parseMediaType", () => {
  it("reads type, subtype and parameters, names in lower case", () => {
    assert.deepEqual(parseMediaType('Text/HTML; Charset="utf-8" ;a=B;'), {
      type: "text",
      subtype: "html",
      parameters: new Map([
        ["charset", "utf-8"],
        ["a", "B"],
      ]),
    });
  });

  it("unescapes quoted values and lets them hold separators", () => {
    const parsed = parseMediaType('a/b; x="1;2,\\"3\\\\"');
    assert.equal(parsed?.parameters.get("x"), '1;2,"3\\');
  });

  it("gives nothing for a malformed header, a repeated parameter or an absurd length", () => {
    const bad = ["", "json", "a/", "/b", "a /b", "a/b c", "a/b;x", "a/b;x=", "a/b;=1", 'a/b;x="1'];
    bad.push("a/b,", "a/b, c/d", "a/b;x=1;X=2", `a/${"b".repeat(1100)}`, 'a/b;x="1"2');
    for (const header of bad) assert.equal(parseMediaType(header), undefined, header);
  });

  it("property: never throws, and a written media type reads back", () => {
    fc.assert(fc.property(fc.string(), (text) => void parseMediaType(text)));
    const token = fc.stringMatching(/^[a-z0-9!#$&^_.+-]{1,12}$/);
    fc.assert(
      fc.property(
        token,
        token,
        token,
        fc.string({ unit: "grapheme-ascii" }),
        (a, b, name, value) => {
          const quoted = value.replace(/["\\]/g, "\\$&");
          assert.deepEqual(parseMediaType(`${a}/${b};${name}="${quoted}"`), {
            type: a,
            subtype: b,
            parameters: new Map([[name, value]]),
          });
        },
      ),
    );
  });
});

describe("isJsonMediaType", () => {
  it("accepts JSON types without charset or in UTF-8", () => {
    const accepted = [
      "application/json",
      "text/json",
      "Application/JSON",
      "application/vnd.api+json",
    ];
    accepted.push("application/merge-patch+json", "application/json;charset=utf-8");
    accepted.push('application/json; charset="UTF-8"', "text/json ; Charset=Utf-8; x=y");
    for (const header of accepted) assert.equal(isJsonMediaType(header), "json", header);
  });

  it("refuses every other charset", () => {
    for (const charset of ["utf-16", "iso-8859-1", "utf-7", '""', "us-ascii"]) {
      assert.equal(isJsonMediaType(`application/json; charset=${charset}`), "unsupported-charset");
    }
  });

  it("refuses every other type, a missing one and a malformed one", () => {
    const refused = ["text/plain", "application/xml", "application/+json", "text/x+json", "*/*"];
    refused.push("", "json", "application/jsonp", "application/json, text/json", "image/json");
    refused.push("application/json;charset=utf-8;charset=utf-16", "application/json charset=utf-8");
    for (const header of refused) assert.equal(isJsonMediaType(header), "unsupported-type", header);
    assert.equal(isJsonMediaType(undefined), "unsupported-type");
  });
});

describe("negotiateJson", () => {
  const cases: readonly (readonly [string | undefined, string])[] = [
    [undefined, "application/json"],
    ["", "application/json"],
    ["*/*", "application/json"],
    ["application/*", "application/json"],
    ["text/json", "text/json"],
    ["text/plain", "text/plain"],
    ["TEXT/Plain", "text/plain"],
    ["text/*", "text/json"],
    ["text/plain, application/json", "application/json"],
    ["text/plain, */*", "text/plain"],
    ["text/plain;q=0.9, */*;q=0.8", "text/plain"],
    ["text/plain;q=0.5, */*;q=0.8", "application/json"],
    ["application/json, text/plain, */*", "application/json"],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/json"],
    ["application/json;q=0, */*", "text/json"],
    ["application/json;q=0, text/json;q=0.0, text/*;q=0.1", "text/plain"],
    ["application/json;q=0", "application/json"],
    ["*/*;q=0", "application/json"],
    ["application/xml", "application/json"],
    ["application/json;q=0.2, text/json;q=0.3, text/plain;q=0.25", "text/json"],
    ["text/plain;charset=utf-8, application/json;q=0.9", "text/plain"],
    ["text/plain;format=flowed, application/json;q=0.1", "application/json"],
    ["text/plain;format=flowed;q=1, text/plain;q=0.1, text/json;q=0.2", "text/json"],
    ["text/plain;charset=latin1, text/json;q=0.1", "text/json"],
    ["text/plain;q=2, text/json;q=0.1", "text/json"],
    ["text/plain;q=, text/json;q=0.1", "text/json"],
    ["nonsense, text/plain", "text/plain"],
    [",, ,text/plain", "text/plain"],
    ['text/html;x="a,text/plain", text/json', "text/json"],
    ["application/problem+json", "application/json"],
    ["*/json, text/plain;q=0.1", "text/plain"],
  ];
  for (const [accept, expected] of cases) {
    it(`answers ${expected} to ${accept ?? "no Accept"}`, () => {
      assert.equal(negotiateJson(accept), expected);
      assert.equal(negotiateJson(accept), expected, "also the second time, from memory");
    });
  }

  it("looks at 20 ranges and one KiB, never at half a range", () => {
    assert.equal(negotiateJson(`${"a/b,".repeat(19)}text/plain`), "text/plain");
    assert.equal(negotiateJson(`${"a/b,".repeat(20)}text/plain`), "application/json");
    const long = `text/json;q=0.5,${" ".repeat(985)}text/plain;q=0.9`;
    assert.ok(long.length > 1000 && long.length <= 1024);
    assert.equal(negotiateJson(long), "text/plain");
    assert.equal(negotiateJson(`${long}99`), "text/plain");
    assert.equal(negotiateJson(`text/json;q=0.5,${" ".repeat(995)}text/plain;q=0.99`), "text/json");
    assert.equal(negotiateJson("x".repeat(100_000)), "application/json");
  });

  it("gives right answers however many different values were seen", () => {
    for (let index = 0; index < 1000; index += 1) {
      assert.equal(negotiateJson(`a/b${index}, text/plain`), "text/plain");
    }
    assert.equal(negotiateJson("text/json"), "text/json");
  });

  it("property: an offer refused by q=0 is given only when there is nothing else to give", () => {
    const types = ["application/json", "text/json", "text/plain"] as const;
    const quality = fc.constantFrom<number>(0, 0.1, 0.5, 0.9, 1);
    fc.assert(
      fc.property(fc.tuple(quality, quality, quality), fc.boolean(), (qualities, isReversed) => {
        const ranges = types.map((type, index) => `${type};q=${qualities[index]}`);
        const answer = negotiateJson((isReversed ? ranges.reverse() : ranges).join(", "));
        const best = Math.max(...qualities);
        const expected = best === 0 ? 0 : qualities.indexOf(best);
        assert.equal(answer, types[expected]);
      }),
    );
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'text/plainjsoq=;,*.01 "\\') }),
        (accept) => {
          assert.ok(types.includes(negotiateJson(accept)));
        },
      ),
    );
  });
});

describe("negotiateProblem", () => {
  const cases: readonly (readonly [string | undefined, string])[] = [
    [undefined, "application/json"],
    ["*/*", "application/json"],
    ["application/*", "application/json"],
    ["application/problem+json", "application/problem+json"],
    ["application/json, application/problem+json", "application/problem+json"],
    ["application/json, application/problem+json;q=0.5", "application/json"],
    ["application/problem+json;q=0, */*", "application/json"],
    ["application/problem+json;q=0.5, */*;q=0.1", "application/problem+json"],
    ["text/plain", "text/plain"],
    ["application/xml", "application/json"],
  ];
  for (const [accept, expected] of cases) {
    it(`answers ${expected} to ${accept ?? "no Accept"}`, () => {
      assert.equal(negotiateProblem(accept), expected);
    });
  }
});
