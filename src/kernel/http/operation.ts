import type { FastifyRequest } from "fastify";

/** The operation that a request is for; undefined at addresses that have none. */
export function operationOf({ routeOptions: { config } }: FastifyRequest): string | undefined {
  return config.route?.op ?? config.op;
}
