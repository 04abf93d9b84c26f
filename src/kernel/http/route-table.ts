import type { FastifyRequest } from "fastify";
import type { ProblemError } from "../errors.ts";
import { problem } from "./problem.ts";
import type { Route } from "./route.ts";

export type RouteTable = {
  readonly routes: readonly Route[];
  /** All routes whose address matches the path, for any method. */
  match(path: string): Route[];
};

/**
 * A linear search is enough: the table is used only for errors and to find where a route is
 * defined.
 */
export function createRouteTable(routes: readonly Route[]): RouteTable {
  const patterns = routes.map((route) => ({ route, segments: route.url.split("/") }));
  return {
    routes,
    match(path) {
      const segments = path.split("/");
      const found = patterns.filter(({ segments: wanted }) => fits(wanted, segments));
      // `/api/tenants` also matches `/api/:tenantId`; the route with more literal segments is
      // meant.
      const literals = Math.max(...found.map(({ segments: wanted }) => countLiterals(wanted)));
      return found
        .filter(({ segments: wanted }) => countLiterals(wanted) === literals)
        .map(({ route }) => route);
    },
  };
}

function fits(wanted: readonly string[], sent: readonly string[]): boolean {
  if (wanted.length !== sent.length) return false;
  return wanted.every((part, index) =>
    part.startsWith(":") ? sent[index] !== "" : part === sent[index],
  );
}

function countLiterals(segments: readonly string[]): number {
  return segments.filter((part) => !part.startsWith(":")).length;
}

/** 405 with `Allow` if the address exists for other methods, else 404. */
export function notFoundProblem(table: RouteTable, request: FastifyRequest): ProblemError {
  const path = request.url.split("?", 1)[0] ?? "";
  const methods = new Set<string>(table.match(path).map((route) => route.method));
  if (methods.size === 0) for (const method of pageMethods(request, path)) methods.add(method);
  if (methods.size === 0) return problem("routeNotFound", "There is nothing at this address.");
  if (methods.has("GET")) methods.add("HEAD");
  const allow = [...methods].sort().join(", ");
  return problem("methodNotAllowed", `This address answers to ${allow}.`, { headers: { allow } });
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Pages and protocol addresses are not in the table; only the server knows them. */
function pageMethods({ server }: FastifyRequest, path: string): string[] {
  return METHODS.filter((method) => server.hasRoute({ method, url: path }));
}
