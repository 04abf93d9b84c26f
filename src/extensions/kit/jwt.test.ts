import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, it } from "node:test";
import { verifyJwt } from "./jwt.ts";

const SECRET = "jwt-signing-secret";
const HEADER = { alg: "HS256", typ: "JWT" };
const CLAIMS = {
  inArguments: [{ contactKey: "C-1" }],
  keyValue: "C-1",
  activityInstanceId: "a1",
};
const SIGNATURE = "h2MyU0V1ASRU9ApenQ2LTbeLPIFNQxgQWZ0h0qa0Pf8";
const NOW = new Date("2026-03-02T09:30:00Z");
const seconds = (more: number) => NOW.getTime() / 1_000 + more;

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const sign = (header: object, claims: unknown, secret = SECRET, sha = "sha256") => {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac(sha, secret).update(signed).digest("base64url")}`;
};
const good = `${encode(HEADER)}.${encode(CLAIMS)}.${SIGNATURE}`;
const check = (token: string, secrets: readonly string[] = [SECRET]) =>
  verifyJwt(token, secrets, NOW);

describe("a token of Journey Builder", () => {
  it("is the one of the published formula", async () => {
    assert.deepEqual(await check(good), { ok: true, claims: CLAIMS });
    assert.equal((await check(good, ["new", SECRET])).ok, true);
  });

  it("keeps every digit", async () => {
    const signed = `${encode(HEADER)}.${Buffer.from('{"id":706405506930370084}').toString("base64url")}`;
    const token = `${signed}.${createHmac("sha256", SECRET).update(signed).digest("base64url")}`;
    const verdict = await check(token);
    assert.ok(verdict.ok);
    assert.deepEqual({ ...verdict.claims }, { id: "706405506930370084" });
  });

  it("holds until a minute after its end, and from a minute before its beginning", async () => {
    for (const claims of [{ exp: seconds(-59) }, { nbf: seconds(59) }, { exp: seconds(600) }]) {
      assert.equal((await check(sign(HEADER, claims))).ok, true, JSON.stringify(claims));
    }
  });

  const [header, claims, signature] = good.split(".");
  for (const [what, token, secrets] of [
    ["no signature at all", `${encode({ alg: "none" })}.${claims}.`, [SECRET]],
    ["the algorithm none with a signature", sign({ alg: "none" }, CLAIMS), [SECRET]],
    ["the algorithm none, written otherwise", sign({ alg: "nOnE" }, CLAIMS), [SECRET]],
    ["another HMAC", sign({ alg: "HS512" }, CLAIMS, SECRET, "sha512"), [SECRET]],
    ["a signature with a key pair", sign({ alg: "RS256" }, CLAIMS), [SECRET]],
    ["no algorithm", sign({ typ: "JWT" }, CLAIMS), [SECRET]],
    ["critical extensions", sign({ ...HEADER, crit: ["b64"], b64: false }, CLAIMS), [SECRET]],
    ["other claims", `${header}.${encode({ ...CLAIMS, keyValue: "C-2" })}.${signature}`, [SECRET]],
    ["another signature", `${header}.${claims}.${signature?.replace("h2", "h3")}`, [SECRET]],
    ["a part of the signature", `${header}.${claims}.${signature?.slice(0, 20)}`, [SECRET]],
    ["another secret", sign(HEADER, CLAIMS, "another"), [SECRET]],
    ["no secret that is stored", good, []],
    ["an end that is over", sign(HEADER, { exp: seconds(-61) }), [SECRET]],
    ["an end that is no time", sign(HEADER, { exp: "tomorrow" }), [SECRET]],
    ["a beginning that is to come", sign(HEADER, { nbf: seconds(61) }), [SECRET]],
    ["claims that are a list", sign(HEADER, [1]), [SECRET]],
    ["no token", "hello", [SECRET]],
    ["nothing", "", [SECRET]],
  ] as const) {
    it(`is refused for ${what}`, async () => {
      assert.equal((await check(token, secrets)).ok, false);
    });
  }
});
