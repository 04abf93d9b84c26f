import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { Config } from "./config.ts";

/** Where something listens, and the setting that says so. */
export type Place = {
  readonly setting: "PORT" | "METRICS_PORT";
  readonly port: number;
  readonly host: string;
};

/**
 * Tries the ports of this process before anything is made, so that one in use costs nobody a
 * database. Gives the settings with a free port for each that left the choice to us: links are made
 * of it before anybody listens there.
 */
export async function claimPlaces(config: Config): Promise<Config> {
  const { host, metricsPort } = config;
  if (config.roles.has("api") && config.port !== 0 && config.port === metricsPort) {
    throw new Error(`PORT and METRICS_PORT are both ${metricsPort}. Set one of them to another.`);
  }
  const port = config.roles.has("api")
    ? await tryPlace({ setting: "PORT", port: config.port, host })
    : config.port;
  return Object.freeze({
    ...config,
    port,
    baseUrl: config.baseUrl.replace(/:0$/, `:${port}`),
    metricsPort:
      metricsPort === undefined
        ? undefined
        : await tryPlace({ setting: "METRICS_PORT", port: metricsPort, host }),
  });
}

/** Gives the port, or a free one for 0. */
async function tryPlace(place: Place): Promise<number> {
  const server = createServer();
  server.listen({ port: place.port, host: place.host });
  try {
    await once(server, "listening");
  } catch (error) {
    throw placeProblem(error, place);
  }
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** What is wrong with a place that cannot be listened on, and what to do. */
export function placeProblem(error: unknown, place: Place): Error {
  return new Error(explain(error as NodeJS.ErrnoException, place), { cause: error });
}

function explain({ code, message }: NodeJS.ErrnoException, { setting, port, host }: Place): string {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is in use. Stop the other program, or set ${setting} to another port.`;
    case "EACCES":
      return `This user may not listen on port ${port}. Set ${setting} to a port from 1024 on.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EINVAL":
      return `This machine has no address ${host}. Set HOST to one of its own, such as 127.0.0.1 or 0.0.0.0.`;
    default:
      return `Port ${port} of ${host} (${setting}, HOST) cannot be listened on: ${message}`;
  }
}
