import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { problem } from "#kernel/http/problem.ts";
import { type ControlRoute, ControlTable } from "../vendors/frame/control.ts";
import type { Vendors } from "../vendors/vendors.service.ts";
import { asProblem, bodyOf, sendJson } from "./visit.ts";

const TimeMove = Type.Object(
  { seconds: Type.Integer({ minimum: 1, maximum: 90 * 86_400 }) },
  { additionalProperties: false },
);

/** Answers for the addresses below `/simulator/vendors`: first the vendor, then what it can do. */
export async function serveVendors(
  vendors: Vendors,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const rest = (request.params as { "*"?: string })["*"] ?? "";
  const [name = "", ...parts] = rest.replace(/\/$/, "").split("/");
  const vendor = vendors.all.find((one) => one.name === name);
  const routes = (vendor?.control ?? common(vendors)).routes;
  const path = vendor === undefined ? (rest === "" ? "" : `/${rest}`) : asPath(parts);
  const known = routes.filter(({ pattern }) => pattern.test(path));
  const method = request.method === "HEAD" ? "GET" : request.method;
  const route = known.find((candidate) => candidate.method === method);
  if (known.length === 0) throw problem("routeNotFound", "There is nothing at this address.");
  if (route === undefined) throw problem("methodNotAllowed", `${method} is not known here.`);
  const result = await asProblem(() => run(route, path, request));
  if (result === undefined) return reply.code(204).send();
  return sendJson(reply, method === "POST" ? 201 : 200, result);
}

const asPath = (parts: readonly string[]): string => parts.map((part) => `/${part}`).join("");

async function run(route: ControlRoute, path: string, request: FastifyRequest): Promise<unknown> {
  const groups = Object.entries(route.pattern.exec(path)?.groups ?? {});
  const params = Object.fromEntries(groups.map(([name, text]) => [name, decoded(text)]));
  const query = new URLSearchParams(request.url.split("?")[1] ?? "");
  const body = route.body === undefined ? undefined : bodyOf(request, route.body);
  return await route.handle(body, { params, query });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What concerns all vendors. */
function common(vendors: Vendors): ControlTable {
  const control = new ControlTable();
  control.get("", () => ({
    now: vendors.clock.now().toISOString(),
    vendors: vendors.all.map(({ name, url }) => ({ name, url: url ?? null })),
  }));
  control.post("/time", TimeMove, async ({ seconds }) => {
    await vendors.advance(seconds * 1_000);
    return { now: vendors.clock.now().toISOString() };
  });
  control.act("/reset", () => vendors.reset());
  return control;
}
