import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** Anything else could be read as a pattern of the router. */
const PLAIN = /^[\w-]+$/;

/**
 * Routes a request whose address cannot be decoded, such as `/console/%ff`, to the page that answers
 * at every address below its own (`/console/*`): people who mistype get that page, which knows what to
 * say. Returns false where there is none, as in the API.
 */
export function routeUnreadable(
  app: FastifyInstance,
  { raw }: FastifyRequest,
  reply: FastifyReply,
): boolean {
  const [path = "", ...query] = (raw.url ?? "").split("?");
  const [, folder = ""] = path.split("/");
  const { method = "GET" } = raw;
  if (!PLAIN.test(folder) || !app.hasRoute({ method, url: `/${folder}/*` })) return false;
  raw.url = [path.replaceAll("%", "%25"), ...query].join("?");
  app.routing(raw, reply.raw);
  return true;
}
