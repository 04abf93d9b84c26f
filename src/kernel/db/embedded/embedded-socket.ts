import { createHash } from "node:crypto";
import { lstat, mkdir, mkdtemp, rm, rmdir } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cluster } from "./embedded-cluster.ts";
import { giveTo, ignoreMissing, type ServerUser } from "./embedded-owner.ts";

// sun_path of sockaddr_un, less the closing NUL.
const SOCKET_PATH_BYTES_MAX = process.platform === "darwin" ? 103 : 107;
const LOOPBACK = "127.0.0.1";
const SOCKET_PORT = 5432; // Only part of the socket's name: nothing listens on TCP.

/** Where the server is reached, and how it is told so. */
export type Endpoint = {
  readonly host: string;
  readonly port: number;
  /** `unix_socket_directories`; empty where only TCP exists. */
  readonly socketSetting: string;
};

/**
 * The socket lives in the cluster's own folder, which is 0700 and goes with DATA_DIR. Only when
 * that path is too long for a socket, a 0700 folder in the temporary folder takes its place.
 */
export async function chooseEndpoint(cluster: Cluster): Promise<Endpoint> {
  if (process.platform === "win32") {
    return endpointOf(cluster, "", await findFreePort());
  }
  if (fitsSocket(cluster.dir)) return endpointOf(cluster, ".", SOCKET_PORT);
  return endpointOf(cluster, await makeShortDirectory(cluster), SOCKET_PORT);
}

/** `.` is the server's working directory, the cluster: right even where it cannot walk there. */
export function endpointOf(cluster: Cluster, socketSetting: string, port: number): Endpoint {
  if (socketSetting === "") return { host: LOOPBACK, port, socketSetting };
  return { host: socketSetting === "." ? cluster.dir : socketSetting, port, socketSetting };
}

/** Leaves nothing behind in the temporary folder. */
export async function removeSocketDirectory(endpoint: Endpoint): Promise<void> {
  if (endpoint.socketSetting === "" || endpoint.socketSetting === ".") return;
  await rmdir(endpoint.host).catch(() => undefined);
}

/** A lock left by a killed server would stop the next one if its pid is in use again. */
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

  // Someone else sits on the name: take one that nobody could foresee.
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
