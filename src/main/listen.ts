import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Callers } from "./drain.ts";
import { type Place, placeProblem } from "./place.ts";

/**
 * Gives the address under which it is reached. Callers are turned away before they use up the file
 * descriptors that connections to the database and to the outside need: then nobody would be
 * answered.
 */
export async function listen(
  app: FastifyInstance,
  place: Place,
  callersMax: number | undefined,
): Promise<string> {
  if (callersMax !== undefined) app.server.maxConnections = callersMax;
  try {
    await app.listen({ port: place.port, host: place.host });
  } catch (error) {
    throw placeProblem(error, place);
  }
  const { address, port, family } = app.server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

/** With the 25 seconds that jobs may take, below the 30 after which supervisors lose patience. */
const FINISH_MS = 4_000;

/** Answers all who have asked. Callers that say nothing, or nothing to the end, do not hold it up. */
export async function closeServer(app: FastifyInstance, callers: Callers): Promise<void> {
  await callers.closeDoor();
  callers.announceEnd();
  const closing = app.close();
  await callers.untilAllLeft(FINISH_MS);
  await closing;
}
