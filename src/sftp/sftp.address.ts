import { perRuntime } from "#kernel/per-runtime.ts";
import { definePort } from "#kernel/port.ts";
import type { Runtime } from "#kernel/runtime.ts";

export type SftpAddress = { readonly host: string; readonly port: number };

/** Where clients reach the file drop, by the settings. All nodes must have the same. */
export const sftpAddress = definePort<SftpAddress>("sftpAddress");

const listeningIn = perRuntime((): { port?: number } => ({}));

/** The port of this process, which the system chose if the setting is 0. */
export function rememberPort(runtime: Runtime, port: number): void {
  listeningIn(runtime).port = port;
}

export function addressOf(runtime: Runtime): SftpAddress {
  const { host, port } = runtime.ports.one(sftpAddress);
  return { host, port: listeningIn(runtime).port ?? port };
}
