import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import type { Cluster } from "./embedded-cluster.ts";
import type { Endpoint } from "./embedded-socket.ts";

export type ServerSettings = {
  /** Command line of the server, without its data directory. */
  readonly args: readonly string[];
  /** Text that stands on the command line of this cluster's server and of no other process. */
  readonly clusterMark: string;
  /** A running server with another value was started with other settings or binaries. */
  readonly settingsMark: string;
};

export async function settingsFor(
  cluster: Cluster,
  endpoint: Endpoint,
  choice: { durable: boolean; maxConnections: number },
): Promise<ServerSettings> {
  const clusterMark = await markOfCluster(cluster);
  const tuning = tuningFor(choice);
  const settingsMark = digest(JSON.stringify([cluster.binaries.version, tuning]));
  const settings = [
    ...Object.entries({ ...tuning, ...reachability(endpoint) }).map(([k, v]) => `${k}=${v}`),
    clusterMark,
    `billfold.settings=${settingsMark}`,
  ];
  return { args: settings.flatMap((setting) => ["-c", setting]), clusterMark, settingsMark };
}

/**
 * Identifies the cluster by its inode, so that its server is found even after DATA_DIR was moved.
 */
export async function markOfCluster(cluster: Cluster): Promise<string> {
  const { dev, ino } = await stat(cluster.dir, { bigint: true });
  return `billfold.cluster=${digest(`${dev}:${ino}`)}`;
}

function reachability(endpoint: Endpoint): Record<string, string> {
  const overSocket = endpoint.socketSetting !== "";
  return {
    listen_addresses: overSocket ? "" : endpoint.host,
    port: String(endpoint.port),
    unix_socket_directories: endpoint.socketSetting,
    unix_socket_permissions: "0700",
  };
}

function tuningFor(choice: { durable: boolean; maxConnections: number }): Record<string, string> {
  const durability = choice.durable ? "on" : "off";
  return {
    fsync: durability,
    full_page_writes: durability,
    // On even without fsync: it costs next to nothing then, and a killed server loses no commit.
    synchronous_commit: "on",
    max_connections: String(choice.maxConnections),
    shared_buffers: "128MB",
    work_mem: "8MB",
    wal_compression: "on",
    random_page_cost: "1.1",
    jit: "off",
    // Parallel plans need /dev/shm, which containers limit to 64 MB, and spare processor cores.
    max_parallel_workers_per_gather: "0",
    timezone: "UTC",
    log_timezone: "UTC",
    log_line_prefix: "%m [%p] %q%u@%d ",
    log_min_messages: "warning",
    log_checkpoints: "off",
    // DETAIL lines quote row values: personal data does not belong in a log.
    log_error_verbosity: "terse",
  };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 24);
}
