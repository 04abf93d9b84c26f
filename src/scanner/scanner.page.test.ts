import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, hash, type KeyObject, sign } from "node:crypto";
import { describe, it } from "node:test";

/** The scripts of the page have no types: the browser runs them as they are. */
const load = (name: string) => import(new URL(`page/${name}`, import.meta.url).href);

type Entry = {
  codes: string[];
  state: string;
  reason: string | null;
  validFrom: string | null;
  validUntil: string | null;
};

const ENTRY: Entry = {
  codes: ["pR1xS0bHk3yU0dZr8o2mXQ", "0Vw3o1JcD0m0c8r1m0XyAg"],
  state: "accepted",
  reason: null,
  validFrom: null,
  validUntil: "2026-12-31T23:00:00.000Z",
};
const LINE = `${ENTRY.codes.join(",")} accepted - - 2026-12-31T23:00:00.000Z\n`;

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

function makeKey(kid: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { kid, privateKey, jwk: { ...publicKey.export({ format: "jwk" }), kid } };
}

function makePage(key: { kid: string; privateKey: KeyObject }, header: object = {}) {
  const digest = createHash("sha256").update(LINE).digest("base64url");
  const protectedPart = encode({
    alg: "ES256",
    typ: "billfold-gate-list",
    kid: key.kid,
    ...header,
  });
  const text = `${protectedPart}.${encode({ tenantId: "harbour", page: 0, digest })}`;
  const signature = sign("sha256", Buffer.from(text), {
    key: key.privateKey,
    dsaEncoding: "ieee-p1363",
  });
  return { head: `${text}.${signature.toString("base64url")}`, entries: [ENTRY] };
}

describe("the gate list in the scanner page", () => {
  it("takes a page that the service signed, and hashes codes as the service does", async () => {
    const { verifyPage, hashCode } = await load("scans/gate-signature.js");
    const key = makeKey("k1");
    const signed = await verifyPage(makePage(key), async () => key.jwk);
    assert.equal(signed.tenantId, "harbour");
    const whole = hash("sha256", "saltCARD-0001 ", "buffer");
    assert.equal(await hashCode("salt", "CARD-0001 "), whole.subarray(0, 16).toString("base64url"));
  });

  it("refuses changed entries, other keys, unknown keys and other algorithms", async () => {
    const { verifyPage } = await load("scans/gate-signature.js");
    const [key, other] = [makeKey("k1"), makeKey("k1")];
    const find = async () => key.jwk;
    const page = makePage(key);
    const [head, payload, signature] = page.head.split(".");
    const forged = encode({ tenantId: "harbour", page: 0, digest: "x" });
    const wrong = [
      { ...page, entries: [] },
      { ...page, entries: [{ ...ENTRY, validUntil: null }] },
      { ...page, entries: [ENTRY, ENTRY] },
      { ...page, head: `${head}.${forged}.${signature}` },
      { ...page, head: `${head}.${payload}.` },
      makePage(other),
      makePage(key, { alg: "none" }),
      makePage(key, { typ: "JWT" }),
    ];
    for (const [at, planted] of wrong.entries()) {
      await assert.rejects(verifyPage(planted, find), `number ${at}`);
    }
    await assert.rejects(verifyPage(page, async () => undefined));
  });
});

describe("a code in front of the camera", () => {
  it("is told of once while it is in view, and again when it was gone for three seconds", async () => {
    const { InView } = await load("reading/camera.js");
    const view = new InView();
    assert.equal(view.look("a", 0), true);
    for (let at = 100; at <= 9_900; at += 100) assert.equal(view.look("a", at), false);
    assert.equal(view.look("b", 9_950), true);
    assert.equal(view.look("a", 12_900), false);
    // A tablet that looks once in ten seconds has not seen it go.
    assert.equal(view.look("a", 22_900), false);
    assert.equal(view.look(undefined, 24_000), false);
    assert.equal(view.look("a", 25_900), false);
    assert.equal(view.look(undefined, 26_000), false);
    assert.equal(view.look("a", 28_901), true);
  });
});

describe("the settings of a device", () => {
  it("are what the page expects, whatever somebody stored", async () => {
    const { readSettings } = await load("scans/settings.js");
    const plain = readSettings({});
    const odd = {
      redeem: { privilegeId: 7 },
      passTypes: "x",
      resultSeconds: -1,
      gunType: "laser",
      language: 3,
      location: "",
    };
    assert.deepEqual(readSettings(odd), plain);
    const { redeem } = readSettings({ redeem: { privilegeId: "entry", amount: 2.5 } });
    assert.deepEqual(redeem, { privilegeId: "entry", amount: 2.5 });
  });
});
