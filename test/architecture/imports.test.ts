import assert from "node:assert/strict";
import { posix } from "node:path";
import { describe, it } from "node:test";
import { moduleLevels } from "#main/modules.ts";
import { isTest, readSources, type Source } from "#test/support/sources.ts";

/** A module may import only modules of lower levels, and only through their `public.ts`. */
const LEVELS: Readonly<Record<string, number>> = {
  // Not a module; all modules may use it.
  files: 0,
  ...Object.fromEntries(
    moduleLevels.flatMap((level, at) => level.map(({ name }) => [name, at + 1] as const)),
  ),
};

/** Ideas (`<noun>.<idea>.ts`) are pure rules. These files are exceptions, each with its reason. */
const IMPURE: Readonly<Record<string, string>> = {
  "src/access/administrators/administrator.common-passwords.ts": "reads its list, once",
  "src/access/authorization/authorization.adapter.ts": "where the OpenID library keeps its records",
  "src/access/authorization/authorization.clients.ts": "names the algorithm of the signing keys",
  "src/access/authorization/authorization.keys.ts": "reads and makes the signing keys",
  "src/access/authorization/authorization.provider.ts": "the OpenID library, configured",
  "src/access/authorization/authorization.raw.ts": "hands requests to the OpenID library",
  "src/access/authorization/authorization.server.ts": "a door: the protocol's addresses",
  "src/access/authorization/authorization.userinfo.ts": "a door: one address of the protocol",
  "src/access/bearer/bearer.keys.ts": "reads keys from the database or from another issuer",
  "src/access/bearer/bearer.ts": "the port that checks tokens",
  "src/access/sign-in/sign-in.forms.ts": "a door: the pages of signing in",
  "src/access/sign-in/sign-in.pages.ts": "what those pages say, beside the rules they show",
  "src/console/console.build.ts": "starts the program that builds the console",
  "src/console/console.files.ts": "reads the files of the console, once",
  "src/extensions/bot-check/bot-check.connector.ts": "names what tries the connection",
  "src/scanner/scanner.files.ts": "reads the files of the scanner page, once",
  "src/sftp/server/connection.ts": "a door: one client of the file drop",
  "src/sftp/server/server.ts": "a door: the server of the file drop",
  "src/sftp/server/sign-in.ts": "a door: signing in to the file drop",
  "src/simulator/apns/apns.server.ts": "a door: Apple's push service, simulated",
  "src/simulator/door/api.ts": "a door: the simulator's own addresses",
  "src/simulator/door/door.ts": "a door: where those addresses are added",
  "src/simulator/door/changes.ts": "tells open pages of changes",
  "src/simulator/door/pages.ts": "a door: the simulator's pages",
  "src/simulator/door/phone.view.ts": "shows phones, whose passes are files",
  "src/simulator/door/visit.ts": "reads requests to those addresses",
  "src/simulator/google/google.server.ts": "a door: Google's API, simulated",
  "src/simulator/listener.ts": "a server that can be shut and opened again",
  "src/simulator/door/vendors.api.ts": "a door: the addresses by which one acts as a vendor",
  "src/simulator/simulator.ts": "begins with the simulator at its first use",
  "src/simulator/vendors/frame/vendor.server.ts": "a door: the API of a vendor, simulated",
  "src/simulator/simulator.file.ts": "keeps what the simulator knows in a file",
  "src/simulator/simulator.world.ts": "wires the simulated services and the phones",
  "src/scheduler/executions/execution.engine.ts": "goes on by itself: plans runs and claims them",
  "src/templates/examination/sandbox.ts": "examines files in processes of their own",
  "src/templates/examination/sandbox-helpers.ts": "starts and keeps those processes",
  "src/tenants/configuration/configuration.snapshot.ts":
    "keeps the version in force for those who work with it",
  "src/extensions/inbox/inbox.engine.ts":
    "goes on by itself: claims deliveries and has them worked on",
  "src/extensions/cdp/cdp.connector.ts": "puts the parts of the connector together",
  "src/extensions/pretix/pretix.connector.ts": "puts the parts of the connector together",
  "src/extensions/feeds/feed.engine.ts": "goes on by itself: claims feeds and tells their events",
  "src/imports/engine/import.engine.ts": "goes on by itself: claims files and imports their rows",
  "src/passes/pass.companions.ts": "the port by which modules above keep things for passes",
  "src/passes/pass.types.ts": "reads the templates in force for a call",
  "src/passes/pass.writer.ts": "the part of the service that every change goes through",
  "src/passes/updates/update.engine.ts": "goes on by itself: asks, applies and counts",
  "src/passes/updates/update.writer.ts":
    "what is queued for a pass, done and counted in one transaction",
  "src/wallets/apple/signing/apple-signer.ts": "reads the credentials in force for a call",
  "src/wallets/apple/push/push.engine.ts": "goes on by itself: claims pushes and sends them",
  "src/wallets/google/callbacks/callback.plug.ts": "a door: the address that Google calls",
  "src/wallets/google/images/image.plug.ts": "a door: the pictures that Google fetches",
  "src/wallets/google/objects/object.engine.ts":
    "goes on by itself: claims what is due, and sends it",
  "src/webhooks/deliveries/delivery.engine.ts":
    "goes on by itself: finds what is due and claims it",
  "src/webhooks/deliveries/delivery.sender.ts": "the part of the engine that sends",
  "src/webhooks/deliveries/delivery.recorder.ts": "the part of the engine that writes",
  "src/access/credentials/authenticate.ts": "the port that checks credentials",
};

const IO = /\.(repository|service|client|jobs|routes|listeners|cache)\.ts$|\/kernel\/(db|jobs)\//;
const IO_PACKAGES = new Set(["pg", "fastify", "pg-boss", "oidc-provider"]);
const IO_BUILTINS = /^node:(fs|net|tls|http|https|http2|dns|dgram|child_process|worker_threads)\b/;

/** The files that the sandbox process loads to check tenant files. It has only 96 MB of memory. */
const SANDBOX_ROOT = /\/sandbox-program\.ts$|\.(config|wallet)\.ts$/;

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

/** Says why this import is forbidden; undefined if it is allowed. */
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

/** Rules for the kind of the importing file, in every folder. */
function kindProblem(path: string, { target, names, isType }: Import): string | undefined {
  if (path.startsWith("src/kernel/") || path.startsWith("src/main/")) return undefined;
  const [, kind = ""] = /\/(?:[^/.]+\.)?([^/.]+)\.ts$/.exec(path) ?? [];
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

/** Routes may use lists directly, because a service function would only pass them on. */
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
  /^(schema|errors|events|repository|service|client|jobs|routes|listeners|cache|module|parts|public)$/;
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

  it("bring no database and no server into the process that reads files of strangers", () => {
    const byPath = new Map(sources.map((source) => [source.path, source]));
    const loaded = new Set(
      sources.map(({ path }) => path).filter((path) => SANDBOX_ROOT.test(path)),
    );
    for (const path of loaded) {
      const source = byPath.get(path);
      const values = source === undefined ? [] : importsOf(source).filter(({ isType }) => !isType);
      for (const { target } of values) loaded.add(target);
    }
    assert.ok(loaded.has("src/templates/examination/examination.ts"));
    assert.deepEqual(
      [...loaded].filter((path) => IO.test(path) || IO_PACKAGES.has(path)),
      [],
    );
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
    ["src/api-keys/scope.ts", 'import { x } from "#src/secrets/public.ts";'],
    ["src/tenants/tenant.service.ts", 'import { x } from "#src/secrets/public.ts";'],
    ["src/passes/pass.listeners.ts", 'import { x } from "#src/webhooks/public.ts";'],
    ["src/access/bearer/bearer.ts", 'import { x } from "#src/api-keys/api-key.service.ts";'],
    [
      "src/access/bearer/bearer.ts",
      'import {\n  x,\n  y,\n} from "../../api-keys/api-key.service.ts";',
    ],
    ["src/access/bearer/bearer.ts", 'export { x } from "#main/config.ts";'],
    ["src/access/bearer/bearer.ts", 'const x = await import("#src/passes/public.ts");'],
    ["src/main/ports.ts", 'import { x } from "#src/access/bearer/bearer.ts";'],
    ["src/access/bearer/bearer.ts", 'import { startApi } from "#test/support/start-api.ts";'],
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
    ["src/access/bearer/bearer.ts", 'import { x } from "#src/api-keys/public.ts";'],
    ["src/api-keys/api-key.listeners.ts", 'import { x } from "#src/tenants/public.ts";'],
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
