import { createHash } from "node:crypto";
import { lstat, mkdir, mkdtemp, rm, rmdir } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cluster } from "./embedded-cluster.ts";
import { giveTo, ignoreMissing, type ServerUser } from "./embedded-owner.ts";

// The size of `sun_path` in `sockaddr_un`, without the closing NUL.
const SOCKET_PATH_BYTES_MAX = process.platform === "darwin" ? 103 : 107;
const LOOPBACK = "127.0.0.1";
const SOCKET_PORT = 5432; // Only part of the socket's name: nothing listens on TCP.

/** The address of the server, and the setting that makes the server listen there. */
export type Endpoint = {
  readonly host: string;
  readonly port: number;
  /** `unix_socket_directories`; empty where only TCP exists. */
  readonly socketSetting: string;
};

/**
 * The socket is in the cluster's own folder, which has mode 0700 and is removed together with
 * DATA_DIR. Only when that path is too long for a socket, a folder of mode 0700 in the temporary
 * folder is used.
 */
export async function chooseEndpoint(cluster: Cluster): Promise<Endpoint> {
  if (process.platform === "win32") {
    return endpointOf(cluster, "", await findFreePort());
  }
  if (fitsSocket(cluster.dir)) return endpointOf(cluster, ".", SOCKET_PORT);
  return endpointOf(cluster, await makeShortDirectory(cluster), SOCKET_PORT);
}

/**
 * The setting `.` means the server's working directory, which is the cluster's folder. It works
 * even where the server's user may not enter the parent folders.
 */
export function endpointOf(cluster: Cluster, socketSetting: string, port: number): Endpoint {
  if (socketSetting === "") return { host: LOOPBACK, port, socketSetting };
  return { host: socketSetting === "." ? cluster.dir : socketSetting, port, socketSetting };
}

/** Removes the folder that `chooseEndpoint` made in the temporary folder, if it made one. */
export async function removeSocketDirectory(endpoint: Endpoint): Promise<void> {
  if (endpoint.socketSetting === "" || endpoint.socketSetting === ".") return;
  await rmdir(endpoint.host).catch(() => undefined);
}

/**
 * Removes the socket's lock file of a killed server: it would prevent the next start if another
 * process has the same pid now.
 */
export async function removeStaleSocket(endpoint: Endpoint): Promise<void> {
  if (endpoint.socketSetting === "") return;
  await rm(`${socketPath(endpoint.host)}.lock`, { force: true });
}

function fitsSocket(directory: string): boolean {
  return Buffer.byteLength(socketPath(directory)) <= SOCKET_PATH_BYTES_MAX;
}

function socketPath(directory: string): string {
  return join(directory, `.s.PGSQL.${SOCKET_PORT}`);
}

async function makeShortDirectory(cluster: Cluster): Promise<string> {
  const key = createHash("sha256").update(cluster.dir).digest("hex").slice(0, 16);
  const parent = fitsSocket(join(tmpdir(), `billfold-${key}`)) ? tmpdir() : "/tmp";
  const path = join(parent, `billfold-${key}`);
  await mkdir(path, { mode: 0o700 }).then(
    () => giveTo(path, cluster.user),
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    },
  );
  if (await isPrivate(path, cluster.user)) return path;

  // Another user owns a folder of this name, so a name that nobody could predict is used.
  const unforeseen = await mkdtemp(`${path}-`);
  await giveTo(unforeseen, cluster.user);
  return unforeseen;
}

async function isPrivate(path: string, user: ServerUser | undefined): Promise<boolean> {
  const found = await lstat(path).catch(ignoreMissing);
  if (found === undefined || !found.isDirectory()) return false;
  return found.uid === (user?.uid ?? process.getuid?.()) && (found.mode & 0o077) === 0;
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, LOOPBACK, () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === "string") reject(new Error("No free port."));
        else resolve(address.port);
      });
    });
  });
}
