import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createLog } from "./log.ts";

function collect() {
  const lines: string[] = [];
  const log = createLog({ level: "info", destination: { write: (line) => void lines.push(line) } });
  return { log, last: () => JSON.parse(lines.at(-1) ?? "{}") };
}

describe("log", () => {
  it("hides what lies under the name of a secret, however deep", () => {
    const { log, last } = collect();
    log.info({
      token: "t",
      headers: { "x-api-key": "k", authorization: "a", cookie: "c", accept: "*/*" },
      list: [{ password: "p", name: "n" }],
      deep: { deeper: { secret: { even: "objects" } } },
    });
    const { token, headers, list, deep } = last();
    assert.equal(token, "[redacted]");
    assert.deepEqual(headers, {
      "x-api-key": "[redacted]",
      authorization: "[redacted]",
      cookie: "[redacted]",
      accept: "*/*",
    });
    assert.deepEqual(list, [{ password: "[redacted]", name: "n" }]);
    assert.deepEqual(deep, { deeper: { secret: "[redacted]" } });
  });

  it("leaves what it is given as it is", () => {
    const { log } = collect();
    const fields = { token: "t", nested: { password: "p" } };
    log.info(fields);
    assert.deepEqual(fields, { token: "t", nested: { password: "p" } });
  });

  it("ends where an object contains itself", () => {
    const { log, last } = collect();
    const circle: Record<string, unknown> = { name: "circle" };
    circle.self = circle;
    log.info({ circle }, "said");
    assert.equal(last().msg, "said");
  });

  it("of an error writes where and why, not the row it carries", () => {
    const { log, last } = collect();
    const error = Object.assign(new Error("no", { cause: new Error("because") }), {
      code: "23505",
      detail: "Key (email)=(ana@cafe-lune.example) already exists.",
    });
    log.warn({ err: error });
    const { err, level } = last();
    assert.equal(level, "warn");
    assert.equal(err.code, "23505");
    assert.equal(err.message, "no");
    assert.equal(err.cause.message, "because");
    assert.equal(JSON.stringify(err).includes("ana@"), false);
  });
});
