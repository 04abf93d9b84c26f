import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** What a process has in memory, in MiB. */
export function residentMibOf(pid: number): number {
  if (process.platform !== "linux") {
    return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)])) / 1024;
  }
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}
