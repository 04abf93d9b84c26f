import assert from "node:assert/strict";
import { posix } from "node:path";
import { describe, it } from "node:test";
import { isTest, readSources, type Source } from "#test/support/sources.ts";

/** Imports point down: a module sees only those of lower levels, and of those only `public.ts`. */
const LEVELS: Readonly<Record<string, number>> = {
  tenants: 1,
  secrets: 1,
  "api-keys": 1,
  "oauth-clients": 1,
  access: 2,
  templates: 2,
  customers: 2,
  events: 2,
  jobs: 2,
  stores: 3,
  passes: 3,
  privileges: 4,
  scans: 4,
  devices: 4,
  content: 4,
  wallets: 5,
  webhooks: 5,
  scheduler: 5,
  sftp: 5,
  extensions: 5,
};

/** Ideas (`<noun>.<idea>.ts`) are pure rules; these are not, and say why. */
const IMPURE: Readonly<Record<string, string>> = {
  "src/access/administrator.common-passwords.ts": "reads its list, once",
  "src/access/authorization.adapter.ts": "where the OpenID library keeps its records",
  "src/access/authorization.clients.ts": "names the algorithm of the signing keys",
  "src/access/authorization.keys.ts": "reads and makes the signing keys",
  "src/access/authorization.provider.ts": "the OpenID library, configured",
  "src/access/authorization.raw.ts": "hands requests to the OpenID library",
  "src/access/authorization.server.ts": "a door: the protocol's addresses",
  "src/access/authorization.userinfo.ts": "a door: one address of the protocol",
  "src/access/bearer.keys.ts": "reads keys from the database or from another issuer",
  "src/access/sign-in.forms.ts": "a door: the pages of signing in",
  "src/access/sign-in.pages.ts": "what those pages say, beside the rules they show",
  "src/tenants/configuration.snapshot.ts": "keeps the version in force for those who work with it",
  "src/passes/pass.companions.ts": "the port by which modules above keep things for passes",
  "src/passes/pass.types.ts": "reads the templates in force for a call",
  "src/passes/pass.writer.ts": "the part of the service that every change goes through",
  "src/passes/update.engine.ts": "goes on by itself: asks, applies and counts",
  "src/passes/update.writer.ts": "what is queued for a pass, done and counted in one transaction",
  "src/webhooks/delivery.engine.ts": "goes on by itself: finds what is due and claims it",
  "src/webhooks/delivery.sender.ts": "the part of the engine that sends",
  "src/webhooks/delivery.recorder.ts": "the part of the engine that writes",
  "src/access/access.authenticate.ts": "the port that checks credentials",
};

const IO = /\.(repository|service|client|jobs|routes|listeners|cache)\.ts$|\/kernel\/(db|jobs)\//;
const IO_PACKAGES = new Set(["pg", "fastify", "pg-boss", "oidc-provider"]);
const IO_BUILTINS = /^node:(fs|net|tls|http|https|http2|dns|dgram|child_process|worker_threads)\b/;

type Import = { readonly target: string; readonly names: string; readonly isType: boolean };

function importsOf({ path, text }: Source): Import[] {
  const pattern = /^(?:import|export)\s+(type\s)?([^;"]*?)\s*(?:from\s*)?"([^"]+)"/gm;
  const found = [...text.matchAll(pattern)].map(([, type, names = "", target = ""]) => ({
    target: resolve(path, target),
    names,
    isType: type !== undefined,
  }));
  const dynamic = [...text.matchAll(/\bimport\("([^"]+)"\)/g)].map(([, target = ""]) => ({
    target: resolve(path, target),
    names: "",
    isType: false,
  }));
  return [...found, ...dynamic];
}

function resolve(path: string, target: string): string {
  if (target.startsWith(".")) return posix.join(posix.dirname(path), target);
  return target
    .replace(/^#src\//, "src/")
    .replace(/^#(kernel|main)\//, "src/$1/")
    .replace(/^#test\//, "test/");
}

const folderOf = (path: string): string => path.split("/")[1] ?? "";

/** Why this import may not be, or undefined. */
function directionProblem(path: string, target: string): string | undefined {
  if (target.startsWith("test/")) return "the product does not know its tests";
  if (!target.startsWith("src/")) return undefined;
  const [from, to] = [folderOf(path), folderOf(target)];
  if (from === to || to === "kernel") return undefined;
  if (from === "kernel") return "the kernel knows nothing above itself";
  if (to === "main") return "only main knows main";
  const isPublic = target.endsWith("/public.ts");
  if (from === "main") {
    return isPublic || target.endsWith("/module.ts")
      ? undefined
      : "main sees public.ts and module.ts of a module";
  }
  const [fromLevel, toLevel] = [LEVELS[from], LEVELS[to]];
  if (fromLevel === undefined || toLevel === undefined) return "a module without a level";
  if (toLevel >= fromLevel) return `level ${fromLevel} may not look at level ${toLevel}`;
  return isPublic ? undefined : "other modules are seen through their public.ts";
}

/** What a kind of file may not import, whatever the folder. */
function kindProblem(path: string, { target, names, isType }: Import): string | undefined {
  const [, , kind = ""] = /\/([^/.]+)\.([^/.]+)\.ts$/.exec(path) ?? [];
  if (kind === "" || path.startsWith("src/kernel/") || path.startsWith("src/main/")) {
    return undefined;
  }
  if (kind === "routes" && target.includes("/kernel/db/")) return "a route holds no SQL";
  if (kind === "routes" && target.endsWith(".repository.ts")) return listsOnly(names);
  if (isType) return undefined;
  if (/^(schema|errors|events)$/.test(kind) && IO.test(target)) return `${kind} defines, no more`;
  if (kind === "repository" && /\.(service|routes|jobs|client)\.ts$/.test(target)) {
    return "a repository knows SQL and nothing above";
  }
  if (kind === "client" && target.endsWith(".repository.ts")) return "a client holds no SQL";
  if (kind === "service" && target.endsWith(".routes.ts")) return "a service has no door";
  return isIdea(kind) ? ideaProblem(path, target) : undefined;
}

/** A list has no rules of its own: a service function that hands it on would say nothing. */
function listsOnly(names: string): string | undefined {
  const all = names.replace(/[{}]/g, "").split(",");
  const others = all
    .map((name) => name.trim())
    .filter((name) => !/^(list[A-Z]\w*|[A-Z_]+_LIST|)$/.test(name));
  return others.length === 0
    ? undefined
    : `a route takes only lists from a repository, not ${others}`;
}

const KINDS =
  /^(schema|errors|events|repository|service|client|jobs|routes|listeners|cache|module)$/;
const isIdea = (kind: string): boolean => !KINDS.test(kind);

function ideaProblem(path: string, target: string): string | undefined {
  if (path in IMPURE) return undefined;
  const doesIo = IO.test(target) || IO_PACKAGES.has(target) || IO_BUILTINS.test(target);
  return doesIo ? "an idea is a pure rule" : undefined;
}

function problemsOf(source: Source): string[] {
  return importsOf(source).flatMap((wanted) => {
    const problem =
      directionProblem(source.path, wanted.target) ?? kindProblem(source.path, wanted);
    return problem === undefined ? [] : [`${source.path} → ${wanted.target}: ${problem}`];
  });
}

const sources = readSources("src/**/*.ts").filter((source) => !isTest(source));

describe("imports", () => {
  it("go down the levels, through public.ts, and as each kind of file may", () => {
    assert.ok(sources.length > 50);
    assert.deepEqual(sources.flatMap(problemsOf), []);
  });

  it("name a level for every module there is", () => {
    const folders = new Set(sources.map(({ path }) => folderOf(path)));
    for (const folder of folders) {
      assert.ok(folder === "kernel" || folder === "main" || folder in LEVELS, folder);
    }
  });

  it("excuse only files that exist", () => {
    const paths = new Set(sources.map(({ path }) => path));
    assert.deepEqual(
      Object.keys(IMPURE).filter((path) => !paths.has(path)),
      [],
    );
  });
});

describe("the rule of imports", () => {
  const refused: readonly [string, string][] = [
    ["src/kernel/http/server.ts", 'import { passes } from "#src/passes/public.ts";'],
    ["src/kernel/ids.ts", 'import type { Config } from "../main/config.ts";'],
    ["src/api-keys/scope.ts", 'import { x } from "#src/access/public.ts";'],
    ["src/api-keys/scope.ts", 'import { x } from "#src/tenants/public.ts";'],
    ["src/access/bearer.ts", 'import { x } from "#src/api-keys/api-key.service.ts";'],
    ["src/access/bearer.ts", 'import {\n  x,\n  y,\n} from "../api-keys/api-key.service.ts";'],
    ["src/access/bearer.ts", 'export { x } from "#main/config.ts";'],
    ["src/access/bearer.ts", 'const x = await import("#src/passes/public.ts");'],
    ["src/main/ports.ts", 'import { x } from "#src/access/bearer.ts";'],
    ["src/access/bearer.ts", 'import { startApi } from "#test/support/start-api.ts";'],
    ["src/nowhere/x.service.ts", 'import { x } from "#src/tenants/public.ts";'],
    ["src/passes/pass.routes.ts", 'import { sql } from "#kernel/db/sql.ts";'],
    ["src/passes/pass.routes.ts", 'import { PASS_LIST, findPass } from "./pass.repository.ts";'],
    ["src/passes/pass.schema.ts", 'import { findPass } from "./pass.repository.ts";'],
    ["src/passes/pass.repository.ts", 'import { updatePass } from "./pass.service.ts";'],
    ["src/events/event.pattern.ts", 'import { readFile } from "node:fs/promises";'],
    ["src/events/event.pattern.ts", 'import { find } from "./webhook.repository.ts";'],
  ];
  for (const [path, text] of refused) {
    it(`refuses ${text.replaceAll("\n", "")} in ${path}`, () => {
      assert.equal(problemsOf({ path, text }).length, 1);
    });
  }

  const allowed: readonly [string, string][] = [
    ["src/access/bearer.ts", 'import { x } from "#src/api-keys/public.ts";'],
    ["src/main/modules.ts", 'import { x } from "#src/access/module.ts";'],
    ["src/passes/pass.routes.ts", 'import { listPasses, PASS_LIST } from "./pass.repository.ts";'],
    ["src/events/event.pattern.ts", 'import type { Webhook } from "./webhook.repository.ts";'],
    ["src/extensions/cdp/cdp.service.ts", 'import { x } from "#src/customers/public.ts";'],
  ];
  for (const [path, text] of allowed) {
    it(`allows ${text} in ${path}`, () => {
      assert.deepEqual(problemsOf({ path, text }), []);
    });
  }
});
