import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { findMatch } from "#kernel/http/etag.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { bytesOf } from "../apple/bundle/bundle.archive.ts";
import { PKPASSES_TYPE } from "../apple/bundle/bundle.service.ts";
import { issuePasses } from "../apple/bundle/bundle-issue.service.ts";
import { SECURE, withFound } from "./landing.routes.ts";
import { findVisits, obstacleOf, type Visit } from "./landing.service.ts";

const OP = "landing.open-passes";

type Rest = { Params: { tenantId: string; "*": string } };

/**
 * Adds the address of several passes in one file. Ten links are longer than a parameter may be, so
 * this is the route for the rest of an address.
 */
export function plugPasses(app: FastifyInstance, runtime: Runtime): void {
  app.get<Rest>("/p/:tenantId/*", { config: { op: OP } }, async (request, reply) => {
    const { tenantId, "*": rest } = request.params;
    const [, links] = /^([^/]+)\/passes\.pkpasses$/.exec(rest) ?? [];
    if (links === undefined) {
      reply.callNotFound();
      return reply;
    }
    const find = () => findVisits(runtime, tenantId, links.split(","), request.state.requestId);
    return await withFound(runtime, request, reply, find, (visits) =>
      sendPasses(visits, request, reply),
    );
  });
}

/** A pass that cannot be added is explained by its own page, as it is for a single pass. */
async function sendPasses(
  visits: readonly Visit[],
  request: FastifyRequest<Rest>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const [first] = visits;
  if (first === undefined) throw new Error("An address of passes names some.");
  const hindered = visits.find((visit) => obstacleOf(visit) !== undefined);
  reply.headers(SECURE);
  if (hindered !== undefined) {
    const { id, secret } = hindered.pass;
    return reply.header("cache-control", "no-store").redirect(`../${id}.${secret}`, 302);
  }
  const passes = visits.map(({ pass }) => pass);
  const { fingerprint, pieces } = await issuePasses(first.context, passes);
  const etag = `"${fingerprint}"`;
  reply.headers({ "cache-control": "private, no-cache", etag });
  if (findMatch(request.headers["if-none-match"], etag) !== undefined) {
    return reply.code(304).send();
  }
  const file = pieces();
  return reply
    .header("content-disposition", 'attachment; filename="passes.pkpasses"')
    .header("content-length", bytesOf(file))
    .type(PKPASSES_TYPE)
    .send(Readable.from(file, { objectMode: false }));
}
