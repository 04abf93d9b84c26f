import { execFileSync } from "node:child_process";
import { availableParallelism, cpus } from "node:os";
import type { Result, Spread } from "./compare.ts";

const HEAD = ["line", "measure", "ours", "baseline", "against", "ratio", "spread", "bar", ""];
const NUMBERS = new Set([2, 3, 5, 6]);

export type Machine = {
  readonly cpu: string;
  readonly cores: number;
  readonly node: string;
  readonly postgres: string;
  readonly commit: string;
};

export function describeMachine(postgresVersion: string): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    node: process.versions.node,
    postgres: postgresVersion,
    commit: commit(),
  };
}

export function machineLine({ cpu, cores, node, postgres, commit }: Machine): string {
  return `${cores} cores of ${cpu}, Node ${node}, PostgreSQL ${postgres}, commit ${commit}`;
}

export function toTable(results: readonly Result[]): string {
  const rows = [HEAD, ...results.map(toCells)];
  const widths = HEAD.map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  const lines = rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return NUMBERS.has(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd(),
  );
  lines.splice(
    1,
    0,
    widths
      .map((width) => "-".repeat(width))
      .join("  ")
      .trimEnd(),
  );
  return lines.join("\n");
}

function toCells(result: Result): string[] {
  const { ratio, baseline, unit } = result;
  return [
    result.line,
    `${result.measure}, ${unit}`,
    figure(result.ours.median),
    baseline === undefined ? "" : figure(baseline.value.median),
    baseline?.name ?? "",
    ratio === undefined ? "" : ratio.median.toFixed(2),
    spread(ratio ?? result.ours),
    result.bar ?? "",
    result.bar === undefined ? "" : result.holds ? "holds" : "MISSED",
  ];
}

function spread({ min, max }: Spread): string {
  return `${min.toFixed(2)}–${max.toFixed(2)}`;
}

function figure(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

function commit(): string {
  try {
    const git = (...words: string[]) =>
      execFileSync("git", words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    const changed = git("status", "--porcelain", "--untracked-files=no") !== "";
    return git("rev-parse", "--short", "HEAD") + (changed ? " with changes" : "");
  } catch {
    return "unknown";
  }
}
