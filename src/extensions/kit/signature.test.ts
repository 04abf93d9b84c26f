import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { customerio } from "../customerio/customerio.connector.ts";
import { verifyHubspot } from "../hubspot/hubspot.signature.ts";
import type { Inbound, Verdict } from "./connector.ts";
import { verifyHmac } from "./signature.ts";

/** Contains an integer above 2^53: whoever reads and writes it again changes its digits. */
const BODY = '{"id":706405506930370084,"email":"bob@example.com"}';
const AT = 1_700_000_000;

type Sent = {
  readonly body: string;
  readonly signature: string | undefined;
  readonly timestamp: string;
  readonly secrets: readonly string[];
  readonly url: string;
  readonly now: Date;
};

type Vector = {
  readonly vendor: string;
  readonly sent: Pick<Sent, "body" | "timestamp" | "secrets"> & { readonly signature: string };
  /** Whether the address is signed, and whether the time is looked at. */
  readonly signsUrl?: boolean;
  readonly windowMs?: number;
  readonly isTimed: boolean;
  verify(sent: Sent): Verdict;
};

const URL = "https://www.example.com/webhook_uri";
const HUBSPOT = { body: '{"example_field":"example_value"}' };
const CLIENT_SECRET = "yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy";

const requestOf = ({ body, url, now }: Sent, headers: Record<string, string | undefined>) => ({
  method: "POST",
  publicUrl: url,
  headers: Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ),
  rawBody: Buffer.from(body),
  now,
});

const VECTORS: readonly Vector[] = [
  {
    vendor: "Customer.io",
    sent: {
      body: BODY,
      signature: "5ba7d93071838ee918639b63106a1092cfea8ad7eeee4745663e66ebb287d2e1",
      timestamp: String(AT),
      secrets: ["topsecret"],
    },
    isTimed: true,
    windowMs: 300_000,
    verify: (sent) =>
      (customerio.inbound as Inbound).verify(
        requestOf(sent, { "x-cio-timestamp": sent.timestamp, "x-cio-signature": sent.signature }),
        { settings: {}, secrets: { signingKey: sent.secrets } },
      ),
  },
  {
    vendor: "HubSpot, third version",
    sent: {
      body: HUBSPOT.body,
      signature: "rQEKkaNUiu+1qGF//O/pw4BCzstSqO1PyUnGICmf+7o=",
      timestamp: `${AT}000`,
      secrets: [CLIENT_SECRET],
    },
    isTimed: true,
    signsUrl: true,
    windowMs: 300_000,
    verify: (sent) =>
      verifyHubspot(
        requestOf(sent, {
          "x-hubspot-signature-v3": sent.signature ?? "",
          "x-hubspot-request-timestamp": sent.timestamp,
        }),
        sent.secrets,
      ),
  },
  {
    vendor: "HubSpot, second version",
    sent: {
      body: HUBSPOT.body,
      signature: "9569219f8ba981ffa6f6f16aa0f48637d35d728c7e4d93d0d52efaa512af7900",
      timestamp: "",
      secrets: [CLIENT_SECRET],
    },
    isTimed: false,
    signsUrl: true,
    verify: (sent) =>
      verifyHubspot(requestOf(sent, { "x-hubspot-signature": sent.signature }), sent.secrets),
  },
  {
    vendor: "Ticket Tailor",
    sent: {
      body: BODY,
      signature: "5fe2cdf239431515d36ce4fba5fe806269c0d2fecc835d94d20108128228ad54",
      timestamp: String(AT),
      secrets: ["ABCD123"],
    },
    isTimed: true,
    verify: ({ signature, secrets, timestamp, body }) =>
      verifyHmac({ signature, encoding: "hex", secrets, parts: [timestamp, Buffer.from(body)] }),
  },
  {
    vendor: "Toast",
    sent: {
      body: BODY,
      signature: "2NPCnX7H4jOYjemmkQ8ute9jrEaJqoeYFKkw4jqgHS8=",
      timestamp: "2024-01-01T00:00:00Z",
      secrets: ["secret"],
    },
    isTimed: true,
    verify: ({ signature, secrets, timestamp, body }) =>
      verifyHmac({ signature, encoding: "base64", secrets, parts: [Buffer.from(body), timestamp] }),
  },
];

for (const { vendor, sent, isTimed, signsUrl, windowMs, verify } of VECTORS) {
  describe(`the signature of ${vendor}`, () => {
    const good: Sent = { ...sent, url: URL, now: new Date(AT * 1_000) };
    const isTaken = (more: Partial<Sent>) => verify({ ...good, ...more }).ok;

    it("is the published one, also with an integer above 2^53", () => {
      assert.deepEqual(verify(good), { ok: true });
      assert.equal(isTaken({ secrets: ["new", ...sent.secrets] }), true);
    });

    const half = sent.signature.slice(0, sent.signature.length / 2);
    const tampered: Record<string, Partial<Sent>> = {
      "another byte in the body": { body: sent.body.replace("e", "f") },
      "a blank after the body": { body: `${sent.body} ` },
      "no body": { body: "" },
      "a part of the signature": { signature: half },
      "another signature": {
        signature: sent.signature.replace(/^./, (one) => (one === "1" ? "2" : "1")),
      },
      "no signature": { signature: undefined },
      "another secret": { secrets: ["another"] },
      "no secret at all": { secrets: [] },
      ...(isTimed ? { "another time": { timestamp: `${sent.timestamp.slice(0, -1)}9` } } : {}),
      ...(isTimed && windowMs !== undefined ? { "no time": { timestamp: "" } } : {}),
      ...(signsUrl === true ? { "another address": { url: `${URL}/x` } } : {}),
      ...(windowMs === undefined
        ? {}
        : {
            "five minutes later": { now: new Date(AT * 1_000 + windowMs + 1) },
            "a clock that is far behind": { now: new Date(AT * 1_000 - windowMs - 1) },
          }),
    };
    if (sent.body === BODY) {
      tampered["a body that was read and written again"] = {
        body: JSON.stringify(JSON.parse(BODY)),
      };
    }
    for (const [what, more] of Object.entries(tampered)) {
      it(`is refused for ${what}`, () => assert.equal(isTaken(more), false));
    }
    if (windowMs !== undefined) {
      it("is taken until the window ends", () => {
        assert.equal(isTaken({ now: new Date(AT * 1_000 + windowMs) }), true);
      });
    }
  });
}

it("the first version of HubSpot's signature, which leaves out the address, is never taken", () => {
  const signature = "232db2615f3d666fe21a8ec971ac7b5402d33b9a925784df3ca654d05f4817de";
  for (const version of [{ "x-hubspot-signature-version": "v1" }, {}]) {
    const request = requestOf(
      { body: HUBSPOT.body, signature, timestamp: "", secrets: [], url: URL, now: new Date() },
      { "x-hubspot-signature": signature, ...version },
    );
    assert.equal(verifyHubspot(request, [CLIENT_SECRET]).ok, false);
  }
});
