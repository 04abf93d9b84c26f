import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Route } from "#kernel/http/route.ts";
import { createRouteTable } from "#kernel/http/route-table.ts";
import { allRoutes } from "#main/modules.ts";

/*
 * Finds the code of a route: `npm run where -- PUT /api/acme/webhooks/x`. An address without a
 * method lists all its methods; without arguments, all routes are listed.
 */

const ROOT = join(import.meta.dirname, "..");

/** Returns `file:line` of every `op: "…"` under src. */
function findOps(): Map<string, string> {
  const places = new Map<string, string>();
  for (const file of globSync("src/**/*.ts", { cwd: ROOT }).sort()) {
    if (file.endsWith(".test.ts")) continue;
    readFileSync(join(ROOT, file), "utf8")
      .split("\n")
      .forEach((line, index) => {
        const op = /^\s*op: "([^"]+)"/.exec(line)?.[1];
        if (op !== undefined) places.set(op, `${file}:${index + 1}`);
      });
  }
  return places;
}

function select(routes: readonly Route[], words: readonly string[]): readonly Route[] {
  const path = words.find((word) => word.includes("/"));
  const method = words.find((word) => /^[a-z]+$/i.test(word))?.toUpperCase();
  const op = words.find((word) => /^[a-z-]+\.[a-z-]+$/.test(word));
  const found =
    path === undefined ? routes : createRouteTable(routes).match(path.split("?", 1)[0] ?? "");
  return found.filter(
    (route) => (method === undefined || route.method === method) && (op ?? route.op) === route.op,
  );
}

function print(routes: readonly Route[]): void {
  const places = findOps();
  const rows = routes.map((route) => [
    route.method,
    route.url,
    route.op,
    route.scope,
    places.get(route.op) ?? "?",
  ]);
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of rows) {
    console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  }
}

const words = process.argv.slice(2);
const found = [...select(allRoutes(), words)].sort((left, right) =>
  left.url === right.url ? 0 : left.url < right.url ? -1 : 1,
);
if (found.length === 0) {
  console.error(`No route fits ${words.join(" ")}.`);
  process.exitCode = 1;
} else {
  print(found);
}
