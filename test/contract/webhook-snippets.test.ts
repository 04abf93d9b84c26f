import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findVersion, LANGUAGES, runCases } from "../support/snippet-languages.ts";
import { ROOT } from "../support/sources.ts";

/*
 * The signatures are made here and not by the product, because the snippets must accept every
 * signature that follows the document.
 */

const page = readFileSync(join(ROOT, "docs/webhooks.md"), "utf8");

const ID = "evt_0VfQm3Ks00x7Rk2LwPq9Zt";
const BODY = '{"id":"evt_0VfQm3Ks00x7Rk2LwPq9Zt","data":{"name":"Ana"}}';
const [SECRET, OTHER, THIRD] = [0, 1, 2].map(() => randomBytes(48).toString("base64")) as [
  string,
  string,
  string,
];

function signBody(secret: string, body: string | Buffer): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

function sign(secret: string, id: string, timestamp: string, body: string): string {
  const key = Buffer.from(secret, "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}

type Delivery = {
  readonly timestamp: string;
  readonly standard: string;
  readonly short: string;
  readonly body: string;
};

type Case = Delivery & {
  readonly title: string;
  /** The expected results of the two functions. */
  readonly expected: `${boolean} ${boolean}`;
};

/** A delivery with correct signatures. */
function delivery(body: string, ageSeconds = 0): Delivery {
  const timestamp = String(Math.floor(Date.now() / 1_000) - ageSeconds);
  return {
    timestamp,
    standard: sign(SECRET, ID, timestamp, body),
    short: signBody(SECRET, body),
    body,
  };
}

function goodCases(): Case[] {
  const bodies = {
    plain: BODY,
    empty: "",
    "with emoji": '{"name":"Café 🧁👩‍🍳"}',
    "with line separators of JavaScript": '{"note":"one\u2028two\u2029three"}',
    "with integers beyond a float": '{"serial":9007199254740993,"sum":123456789012345.6789}',
    "with escapes, zero bytes and odd spacing":
      '{ "a" : "\\ud83e\\uddc1\\u2028",\r\n\t"b":"\0" } \n',
    "of a hundred thousand characters": `{"text":"${"é".repeat(100_000)}"}`,
  };
  const good = Object.entries(bodies).map(
    ([title, body]): Case => ({ title, ...delivery(body), expected: "true true" }),
  );
  const now = delivery(BODY);
  const [fresh, old, unknown] = [SECRET, OTHER, THIRD].map((secret) =>
    sign(secret, ID, now.timestamp, BODY),
  );
  return [
    ...good,
    { title: "four minutes old", ...delivery(BODY, 240), expected: "true true" },
    {
      title: "two signatures, the first one fits",
      ...now,
      standard: `${fresh} ${old}`,
      expected: "true true",
    },
    {
      title: "two signatures, the second one fits",
      ...now,
      standard: `${old} ${fresh}`,
      short: signBody(OTHER, BODY),
      expected: "true false",
    },
    {
      title: "beside a signature of a kind to come",
      ...now,
      standard: `v1a,${unknown?.slice(3)} ${fresh}`,
      expected: "true true",
    },
  ];
}

function badCases(): Case[] {
  const now = delivery(BODY);
  const foreign = sign(OTHER, ID, now.timestamp, BODY);
  const hour = 3_600;
  return [
    { title: "another body", ...now, body: BODY.replace("Ana", "Bob"), expected: "false false" },
    { title: "a body with one space more", ...now, body: `${BODY} `, expected: "false false" },
    { title: "an old timestamp", ...delivery(BODY, hour), expected: "false true" },
    { title: "a timestamp to come", ...delivery(BODY, -hour), expected: "false true" },
    {
      title: "an old request under a new timestamp",
      ...delivery(BODY, hour),
      timestamp: now.timestamp,
      expected: "false true",
    },
    { title: "a timestamp that is no number", ...now, timestamp: "now", expected: "false true" },
    { title: "a timestamp without end", ...now, timestamp: "9".repeat(40), expected: "false true" },
    {
      title: "no headers at all",
      timestamp: "",
      standard: "",
      short: "",
      body: BODY,
      expected: "false false",
    },
    {
      title: "the secret of somebody else",
      ...now,
      standard: foreign,
      short: signBody(OTHER, BODY),
      expected: "false false",
    },
    {
      title: "two wrong signatures",
      ...now,
      standard: `${foreign} ${foreign}`,
      expected: "false true",
    },
    {
      title: "another kind of signature",
      ...now,
      standard: now.standard.replace("v1,", "v2,"),
      expected: "false true",
    },
    {
      title: "half of the signature",
      ...now,
      standard: now.standard.slice(0, 20),
      short: now.short.slice(0, 20),
      expected: "false false",
    },
    {
      title: "signatures that are none",
      ...now,
      standard: "v1, é v1 , v1,%%%",
      short: "ü🧁",
      expected: "false false",
    },
  ];
}

function snippetOf(language: string): string {
  const [, section = ""] = page.split(`\n### ${language}\n`);
  return /^\s*```[a-z]+\n(.*?)\n```\n/s.exec(section)?.[1] ?? "";
}

describe("the snippets of docs/webhooks.md", () => {
  it("are tried with signatures as others publish them", () => {
    const secret = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    assert.equal(
      sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", '{"test": 2432232314}'),
      "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    );
    // From test case 2 of RFC 4231.
    assert.equal(
      signBody("Jefe", "what do ya want for nothing?"),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    );
  });

  for (const language of LANGUAGES) {
    it(`tell good deliveries from bad ones: ${language.name}`, async (t) => {
      const snippet = snippetOf(language.name);
      assert.ok(snippet.includes(language.comparison), "compares in constant time");
      assert.match(snippet, /\b300\b/, "refuses what is more than five minutes off");
      const version = await findVersion(language);
      if (version === undefined) {
        t.diagnostic(`${language.name} is not installed here, or too old: read, not run`);
        return;
      }
      const folder = mkdtempSync(join(tmpdir(), "billfold-snippet-"));
      t.after(() => rmSync(folder, { recursive: true, force: true }));
      const cases = [...goodCases(), ...badCases()];
      const lines = cases.map((one) => [
        SECRET,
        one.standard === "" ? "" : ID,
        one.timestamp,
        one.standard,
        one.short,
        one.body,
      ]);
      const said = await runCases(language, snippet, lines, folder);
      t.diagnostic(`${language.name} ${version}: ${said.length} deliveries`);
      assert.deepEqual(
        cases.map(({ title }, at) => `${title}: ${said[at]}`),
        cases.map(({ title, expected }) => `${title}: ${expected}`),
      );
    });
  }
});
