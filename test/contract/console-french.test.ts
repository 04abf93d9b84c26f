import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readSources } from "#test/support/sources.ts";
import { frenchFindings, inFrench } from "../../console/src/parts/findings/french-findings.ts";
import { credentialProblems } from "../../console/src/parts/findings/french-wallets.ts";
import type { FindingText } from "../../console/src/parts/findings/text.ts";
import { everyFinding } from "../../scripts/findings-document.ts";

const texts: Readonly<Record<string, FindingText | undefined>> = frenchFindings;

/** Names of members and files: what stands in quotation marks. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/(?<!\w)['`]([^'`]+)['`](?!\w)/g)].flatMap(([, name = ""]) => name);

describe("findings in the French console", () => {
  it("have a text for every code, and no code has a text that is not a finding", () => {
    const codes = everyFinding().map(({ code }) => code);
    assert.deepEqual(Object.keys(texts).sort(), codes.sort());
  });

  it("name what the English texts name", () => {
    for (const { code, summary, hint } of everyFinding()) {
      const french = texts[code];
      for (const [english, told = ""] of [
        [summary, french?.summary],
        [hint, french?.hint],
      ] as const) {
        assert.match(told, /^[«\p{Lu}].*\.$/su, code);
        assert.doesNotMatch(told, /\p{L}'\p{L}/u, code);
        assert.deepEqual(
          namesIn(english).filter((name) => !told.includes(name)),
          [],
          code,
        );
      }
    }
    const settings = everyFinding().find(({ code }) => code === "file.unknown-settings");
    const list = settings?.hint.split(": ")[1] ?? "-";
    assert.ok(texts["file.unknown-settings"]?.hint.endsWith(list), list);
  });

  it("keep the API's own words where those tell more", () => {
    const [any] = everyFinding();
    assert.ok(any !== undefined);
    const { code, summary, hint } = any;
    const words = { ...texts[code], language: "fr" };
    assert.deepEqual(inFrench({ code, message: summary, hint }), { ...words, exact: undefined });
    assert.deepEqual(inFrench({ code, message: "There are 7.", hint }), {
      ...words,
      exact: "There are 7.",
    });
    assert.deepEqual(inFrench({ code, message: "There are 7.", hint: "Remove 2." }), {
      ...words,
      exact: "There are 7. Remove 2.",
    });
    assert.equal(inFrench({ code: "moon.too-far", message: "Far.", hint: "Wait." }), undefined);
  });

  it("come with the problems of credentials, which the API tells beside them", () => {
    const [source] = readSources("src/wallets/credentials/credential.problems.ts");
    const codes = [...(source?.text ?? "").matchAll(/code: "([^"]+)"/g)].map(([, code]) => code);
    assert.deepEqual(Object.keys(credentialProblems).sort(), codes.sort());
    const message = "The certificate is not for NFC, and the template of 'club' has 'nfc'.";
    const told = inFrench({ code: "credential.no-nfc", message, hint: "Ask Apple." });
    assert.equal(told?.exact, message);
    const none = { code: "credential.none", message: "There is none.", hint: "Store one here." };
    assert.equal(inFrench(none)?.exact, undefined);
  });
});
