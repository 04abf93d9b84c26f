import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Route } from "#kernel/http/route.ts";
import { allRoutes } from "#main/modules.ts";
import { SCOPE_NAMES } from "#src/api-keys/public.ts";
import { RESERVED_TENANT_IDS } from "#src/tenants/tenant.reserved.ts";
import { isTest, readSources } from "#test/support/sources.ts";

type Facts = Pick<Route, "op" | "url" | "scope" | "summary">;

const KNOWN_SCOPES = new Set<string>(SCOPE_NAMES);
const SYSTEM_WIDE = new Set(["public", "platform:admin", "signed-in"]);

function problemsOf({ op, url, scope, summary }: Facts): string[] {
  const problems: string[] = [];
  if (!/^[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)*$/.test(op)) problems.push("is not noun.verb");
  if (!SYSTEM_WIDE.has(scope) && !KNOWN_SCOPES.has(scope)) problems.push(`no scope '${scope}'`);
  // Otherwise a key of one tenant would give access to data of the whole installation.
  if (!url.includes(":tenantId") && !SYSTEM_WIDE.has(scope)) problems.push("has no tenant");
  if (!/^[A-Z].{5,}[^.]$/.test(summary)) problems.push("has no summary in one line");
  const [, root, word = ""] = url.split("/");
  if (root === "api" && !word.startsWith(":") && !RESERVED_TENANT_IDS.has(word)) {
    problems.push(`'${word}' could also be a tenant`);
  }
  return problems.map((problem) => `${op}: ${problem}`);
}

function repeated(routes: readonly Facts[]): string[] {
  const ops = routes.map(({ op }) => op);
  return ops.filter((op, index) => ops.indexOf(op) !== index);
}

function unnamed(routes: readonly Facts[], tests: string): string[] {
  return routes
    .map(({ op }) => op)
    .filter((op) => !new RegExp(`(?<![\\w.-])${op.replace(".", "\\.")}(?![\\w-])`).test(tests));
}

describe("operations", () => {
  const routes = allRoutes();

  it("have a name, a scope that exists, a summary and an address nobody else can take", () => {
    assert.ok(routes.length > 0);
    assert.deepEqual(routes.flatMap(problemsOf), []);
  });

  it("have names of their own", () => {
    assert.deepEqual(repeated(routes), []);
  });

  it("are named in a test beside the code or of a journey", () => {
    const tests = readSources("{src,test}/**/*.test.ts").filter(
      (source) => isTest(source) && !source.path.startsWith("test/architecture/"),
    );
    assert.deepEqual(unnamed(routes, tests.map(({ text }) => text).join("\n")), []);
  });

  it("are found out when they break a rule", () => {
    const good: Facts = {
      op: "pass.get",
      url: "/api/:tenantId/passes/:passId",
      scope: "Pass.Read",
      summary: "Read one pass",
    };
    assert.deepEqual(problemsOf(good), []);
    const bad: Partial<Facts>[] = [
      { op: "getPass" },
      { scope: "Pass.Reed" },
      { url: "/metrics/passes" },
      { summary: "" },
      { url: "/api/passes", scope: "public" },
    ];
    for (const change of bad) assert.equal(problemsOf({ ...good, ...change }).length, 1);
    assert.deepEqual(repeated([good, good]), ["pass.get"]);
    assert.deepEqual(unnamed([good], "(pass.get-all) my.pass.get"), ["pass.get"]);
    assert.deepEqual(unnamed([good], "GET /passes/:passId (pass.get)"), []);
  });
});
