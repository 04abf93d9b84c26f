import { type DestinationStream, type Logger, pino } from "pino";
import { openLogOutput } from "./log-output.ts";

export type Log = Logger;

/** Values of members with these names are never logged, at any depth. */
const SECRET_NAMES = new Set([
  "authorization",
  "apiKey",
  "cookie",
  "password",
  "secret",
  "set-cookie",
  "signatureSecret",
  "token",
  "x-api-key",
]);
const DEPTH_MAX = 8;

export function createLog(options: { level: string; destination?: DestinationStream }): Log {
  const settings = {
    level: options.level,
    base: null,
    timestamp,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: Record<string, unknown>) => withoutSecrets(fields, 0) as typeof fields,
    },
    serializers: { err: presentError },
  };
  return pino(settings, options.destination ?? standardOutput());
}

let stampedAt = 0;
let stamp = "";

/** Formatting a time is a quarter of the cost of a line, and several lines share a millisecond. */
function timestamp(): string {
  const now = Date.now();
  if (now !== stampedAt) {
    stampedAt = now;
    stamp = `,"time":"${new Date(now).toISOString()}"`;
  }
  return stamp;
}

function standardOutput(): DestinationStream {
  const output = openLogOutput(1);
  process.once("exit", () => output.flushSync());
  return output;
}

/** Copies only objects that it must change: nearly all lines need no change. */
function withoutSecrets(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1));
  if (!isPlainObject(value)) return value;
  if (depth > DEPTH_MAX) return "[too deep]";
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const found = value[name];
    const shown = SECRET_NAMES.has(name) ? "[redacted]" : withoutSecrets(found, depth + 1);
    if (shown === found) continue;
    copy ??= { ...value };
    copy[name] = shown;
  }
  return copy ?? value;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Errors of the database contain values of rows, and errors of drivers whole connections, so only
 * the members that say where and why are logged.
 */
function presentError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code } = error as { code?: unknown };
  const cause = error.cause === undefined ? {} : { cause: presentError(error.cause) };
  return { type: error.name, message: error.message, code, stack: error.stack, ...cause };
}
