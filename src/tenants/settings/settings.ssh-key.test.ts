import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, it } from "node:test";
import ssh2 from "ssh2";
import { makeEd25519 } from "#test/support/ssh-keys.ts";
import { checkSettings } from "./settings.check.ts";
import { sshKeyProblem } from "./settings.ssh-key.ts";

const field = (bytes: string | Buffer) => {
  const content = Buffer.from(bytes);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
};
const lineOf = (type: string, ...parts: (string | Buffer)[]) =>
  `${type} ${Buffer.concat([type, ...parts].map(field)).toString("base64")} till@cafe`;

const number = (base64url: string | undefined) =>
  Buffer.concat([Buffer.of(0), Buffer.from(base64url ?? "", "base64url")]);
function rsaLine(bits: number, exponent?: Buffer): string {
  const { n, e } = generateKeyPairSync("rsa", { modulusLength: bits }).publicKey.export({
    format: "jwk",
  });
  return lineOf("ssh-rsa", exponent ?? number(e), number(n));
}

describe("a public key of the file drop", () => {
  it("may be Ed25519, ECDSA of three curves, or RSA from 2048 bits, with any comment", () => {
    const good = [
      makeEd25519("a b c").public,
      ...([256, 384, 521] as const).map(
        (bits) => ssh2.utils.generateKeyPairSync("ecdsa", { bits }).public,
      ),
      rsaLine(2_048),
    ];
    for (const line of good) assert.equal(sshKeyProblem(line), undefined, line);
  });

  const [, whole = ""] = makeEd25519().public.split(" ");
  const point = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 7)]);
  const BAD: Readonly<Record<string, readonly [string, RegExp]>> = {
    "that is cut off": [`ssh-ed25519 ${whole.slice(0, 40)}`, /cut off/],
    "that is no base64": [`ssh-ed25519 ${whole.slice(0, 20)}…${whole.slice(20)}`, /base64/],
    "that is nothing": ["ssh-ed25519 AAAA", /cut off/],
    "that says it is of another type": [`ssh-rsa ${whole}`, /not a key of the type ssh-rsa/],
    "that is too short": [lineOf("ssh-ed25519", "short"), /not a key/],
    "of a curve that nobody knows": [
      lineOf("ecdsa-sha2-nistp192", "nistp192", point),
      /nobody can sign in with/,
    ],
    "of a point beside its curve": [lineOf("ecdsa-sha2-nistp256", "nistp256", point), /not a key/],
    "of RSA with 1024 bits": [rsaLine(1_024), /has 1024 bits/],
    "of RSA with an exponent of a kilobyte": [
      rsaLine(2_048, Buffer.alloc(1_024, 1)),
      /an exponent that no program chooses/,
    ],
  };
  for (const [what, [line, problem]] of Object.entries(BAD)) {
    it(`${what} is found out`, () => assert.match(sshKeyProblem(line) ?? "", problem));
  }

  it("is reported with its line, and the others beside it are not", () => {
    const good = makeEd25519().public;
    const text = `name: Cafe\nsftp:\n  enabled: true\n  keys:\n    - ${good}\n    - ssh-ed25519 AAAA\n`;
    const { findings } = checkSettings(Buffer.from(text), []);
    assert.deepEqual(
      findings.map(({ code, line }) => [code, line]),
      [["tenant.sftp-key-unusable", 6]],
    );
  });
});
