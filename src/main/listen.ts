import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Callers } from "./drain.ts";
import { type ListenAddress, listenProblem } from "./listen-address.ts";

/**
 * Starts to listen, and returns the address. The number of connections is limited, so that they do
 * not use up the file descriptors that the database and outgoing calls need: otherwise no request
 * could be answered.
 */
export async function listen(
  app: FastifyInstance,
  wanted: ListenAddress,
  callersMax: number | undefined,
): Promise<string> {
  if (callersMax !== undefined) app.server.maxConnections = callersMax;
  try {
    await app.listen({ port: wanted.port, host: wanted.host });
  } catch (error) {
    throw listenProblem(error, wanted);
  }
  const { address, port, family } = app.server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

/**
 * The same time as for background jobs. Supervisors kill a process after 30 seconds, and the
 * database must stop after this.
 */
const FINISH_MS = 20_000;
/** Time for the answers of requests that waited for an outside server until then. */
const ANSWER_MS = 3_000;

export type Leaving = {
  readonly callers: Callers;
  /** Ends the calls to outside servers that are still under way. */
  giveUpOutside(): Promise<void>;
};

/**
 * Answers all requests that have arrived. Clients that send nothing, or do not finish sending their
 * request, do not delay it.
 */
export async function closeServer(
  app: FastifyInstance,
  { callers, giveUpOutside }: Leaving,
): Promise<void> {
  await callers.closeDoor();
  callers.announceEnd();
  const closing = app.close();
  if (!(await callers.haveLeft(FINISH_MS))) {
    await Promise.all([giveUpOutside(), callers.haveLeft(ANSWER_MS)]);
    app.server.closeAllConnections();
  }
  await closing;
}
