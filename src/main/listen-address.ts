import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { Config } from "./config.ts";

type Setting = "PORT" | "METRICS_PORT" | "SFTP_PORT";

/** An address to listen on, and the setting that chooses its port. */
export type ListenAddress = {
  readonly setting: Setting;
  readonly port: number;
  readonly host: string;
};

/**
 * Tries the ports of this process before anything else is started, so that a port in use is
 * reported before a database is created. Returns the settings with a free port in address of each 0,
 * because links need the port before the server listens.
 */
export async function claimPorts(config: Config): Promise<Config> {
  const { host, metricsPort, roles } = config;
  const wanted: ListenAddress[] = [];
  if (roles.has("api")) wanted.push({ setting: "PORT", port: config.port, host });
  if (roles.has("sftp")) wanted.push({ setting: "SFTP_PORT", port: config.sftpPort, host });
  if (metricsPort !== undefined) wanted.push({ setting: "METRICS_PORT", port: metricsPort, host });
  requireDifferent(wanted);
  const claimed = new Map<Setting, number>();
  for (const address of wanted) claimed.set(address.setting, await tryAddress(address));
  const port = claimed.get("PORT") ?? config.port;
  return Object.freeze({
    ...config,
    port,
    baseUrl: config.baseUrl.replace(/:0$/, `:${port}`),
    sftpPort: claimed.get("SFTP_PORT") ?? config.sftpPort,
    metricsPort: claimed.get("METRICS_PORT"),
  });
}

function requireDifferent(addresses: readonly ListenAddress[]): void {
  for (const [index, { setting, port }] of addresses.entries()) {
    const other = addresses.slice(0, index).find((before) => port !== 0 && before.port === port);
    if (other !== undefined) {
      throw new Error(
        `${other.setting} and ${setting} are both ${port}. Set one of them to another.`,
      );
    }
  }
}

/** Returns the port, or a free one for 0. */
async function tryAddress(address: ListenAddress): Promise<number> {
  const server = createServer();
  server.listen({ port: address.port, host: address.host });
  try {
    await once(server, "listening");
  } catch (error) {
    throw listenProblem(error, address);
  }
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Explains why an address cannot be listened on, and what to do. */
export function listenProblem(error: unknown, address: ListenAddress): Error {
  return new Error(explain(error as NodeJS.ErrnoException, address), { cause: error });
}

function explain(
  { code, message }: NodeJS.ErrnoException,
  { setting, port, host }: ListenAddress,
): string {
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
