import { Counter, Gauge } from "prom-client";
import { perRuntime } from "#kernel/per-runtime.ts";

export type SftpMetrics = {
  readonly connections: Gauge;
  readonly refused: Counter<"reason">;
  readonly signIns: Counter<"outcome">;
  readonly bytes: Counter<"direction">;
};

export const sftpMetricsOf = perRuntime((runtime): SftpMetrics => {
  const registers = [runtime.metrics.registry];
  return {
    connections: new Gauge({
      name: "billfold_sftp_connections",
      help: "Open connections to the file drop.",
      registers,
    }),
    refused: new Counter({
      name: "billfold_sftp_connections_refused_total",
      help: "Connections to the file drop that were closed at once, by reason.",
      labelNames: ["reason"],
      registers,
    }),
    signIns: new Counter({
      name: "billfold_sftp_sign_ins_total",
      help: "Attempts to sign in to the file drop, by outcome.",
      labelNames: ["outcome"],
      registers,
    }),
    bytes: new Counter({
      name: "billfold_sftp_bytes_total",
      help: "Bytes of packets of the file drop, by direction.",
      labelNames: ["direction"],
      registers,
    }),
  };
});
