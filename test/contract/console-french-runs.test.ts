import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { provide } from "#kernel/port.ts";
import { metadataSources } from "#src/passes/public.ts";
import { taskKinds } from "#src/scheduler/public.ts";
import { seedGoogleTenant, startGoogle } from "#test/support/google-stand-in.ts";
import { seedPass } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { finishTask } from "#test/support/tasks.ts";
import { frenchCount, frenchCounts } from "../../console/src/scheduler/french-counts.ts";
import { frenchSummary } from "../../console/src/scheduler/french-summary.ts";

const google = await startGoogle({ after });
const crm = { name: "crm", fetch: async () => ({ segment: "gold" }) };
// Over http, the check of the credentials would warn that Google cannot reach this service.
const env = { GOOGLE_WALLET_URL: google.url, BASE_URL: "https://passes.example.com" };
const api = await startApi({ after }, { env, provides: [provide(metadataSources, crm)] });

const SENTENCES = {
  "expire-passes": /^Aucun passe n’a expiré\.$/,
  "refresh-metadata": /^1 passe mis à jour, 0 déjà à jour, 0 en échec\.$/,
  import: /^Aucun fichier n’attendait\.$/,
  "sync-wallet-classes": /^\d+ classes? (a|ont) été envoyées?\.$/,
  "check-credentials": /^Aucun problème trouvé\.$/,
  purge: /^Il n’y avait rien à supprimer\.$/,
  export: /^1 passe a été exporté\.$/,
} as const;
const kinds = Object.keys(SENTENCES) as (keyof typeof SENTENCES)[];

// The API promises no names of counts, so only runs of the tasks themselves tell whether the console knows them.
describe("runs of the tasks themselves in the French console", () => {
  it("are all told in French, each count with its name", async () => {
    assert.deepEqual(
      api.runtime.ports
        .all(taskKinds)
        .map(({ kind }) => kind)
        .sort(),
      [...kinds].sort(),
    );
    const tasks = kinds.map((kind) => `  - { id: ${kind}, kind: ${kind}, cron: "0 0 29 2 *" }\n`);
    await seedGoogleTenant(api, "acme", { "server/schedule.yml": `tasks:\n${tasks.join("")}` });
    await seedPass(api, "acme");
    for (const kind of kinds) {
      const run = await finishTask(api, "acme", kind);
      assert.match(frenchSummary(run, String) ?? run.summary, SENTENCES[kind]);
      const counted = Object.keys(run.counts);
      assert.deepEqual(counted.sort(), Object.keys(frenchCounts[kind]).sort(), kind);
      const names = counted.map((name) => frenchCount(kind, name));
      assert.equal(new Set(names).size, names.length, kind);
    }
    assert.equal(frenchCount("export", "moons"), undefined);
  });
});
