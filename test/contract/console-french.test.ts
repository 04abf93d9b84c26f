import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { noCredential } from "#src/wallets/credentials/credential.problems.ts";
import { readSources } from "#test/support/sources.ts";
import { frenchFindings, inFrench } from "../../console/src/parts/findings/french-findings.ts";
import { credentialProblems } from "../../console/src/parts/findings/french-wallets.ts";
import type { FindingText } from "../../console/src/parts/findings/text.ts";
import { frenchCounts } from "../../console/src/scheduler/french-counts.ts";
import { frenchSummary } from "../../console/src/scheduler/french-summary.ts";
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
  });

  it("say what follows from a credential that is not there, which differs from tenant to tenant", () => {
    for (const [isStaging, follows] of [
      [true, /for testing only, and no real phone takes them\.$/],
      [false, /no pass can be made for it\.$/],
    ] as const) {
      const told = inFrench(noCredential("Apple", isStaging));
      assert.match(told?.exact ?? "", follows);
      assert.equal(told?.summary, credentialProblems["credential.none"]?.summary);
    }
  });
});

describe("runs of tasks in the French console", () => {
  const write = (count: number) => new Intl.NumberFormat("fr").format(count);
  const tell = (
    kind: Parameters<typeof frenchSummary>[0]["kind"],
    counts: Record<string, number>,
    summary = "1 thing was done.",
  ) => frenchSummary({ kind, status: "succeeded", summary, counts }, write);

  it("are told by their counts", () => {
    assert.equal(tell("export", { passes: 4_711 }), "4\u202f711 passes ont été exportés.");
    assert.equal(tell("export", { passes: 1 }), "1 passe a été exporté.");
    assert.equal(tell("expire-passes", { expired: 0 }), "Aucun passe n’a expiré.");
    assert.equal(
      tell("refresh-metadata", { updated: 2, unchanged: 1, failed: 0 }),
      "2 passes mis à jour, 1 déjà à jour, 0 en échec.",
    );
    const read = { files: 2, rows: 30, created: 27, updated: 0, unchanged: 0 };
    assert.equal(
      tell("import", { ...read, failed: 0, errors: 0 }),
      "2 fichiers importés, 30 lignes.",
    );
    assert.equal(
      tell("import", { ...read, failed: 3, errors: 1 }),
      "2 fichiers importés, 30 lignes : 3 lignes en échec, 1 fichier non lu jusqu’au bout.",
    );
    assert.equal(tell("sync-wallet-classes", { sent: 1, skipped: 3 }), "1 classe a été envoyée.");
    assert.equal(tell("check-credentials", { warnings: 2 }), "2 avertissements ; voir le journal.");
    assert.equal(tell("purge", { events: 1, scans: 2 }), "3 enregistrements supprimés.");
  });

  it("keep the API's words where their counts do not tell all", () => {
    const counts = { updated: 0, unchanged: 0, failed: 0 };
    const summary = "There is no source of metadata to ask.";
    assert.equal(tell("refresh-metadata", counts, summary), undefined);
    assert.equal(tell("conjure" as "export", { passes: 1 }), undefined);
    for (const kind of Object.keys(frenchCounts)) {
      assert.equal(tell(kind as "export", {}), undefined, kind);
    }
    const { files, ...renamed } = { files: 2, rows: 30, failed: 0, errors: 0 };
    assert.equal(tell("import", { ...renamed, documents: files }), undefined);
    const failed = { kind: "export", status: "failed", summary: "It broke.", counts: {} } as const;
    assert.equal(frenchSummary(failed, write), undefined);
  });
});
