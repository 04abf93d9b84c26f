const TRANSIENT = new Set(["40001", "40P01"]);

/** Disk, memory or connections used up, a statement or a lock that took too long. */
const OVERLOAD_STATES = /^(53|57014$|55P03$)/;

const STATEMENT_TIMEOUT = "57014";

/** Server stopping or starting, too many connections, and everything below SQL. */
const CONNECTION_STATES = /^(08|57P0[1-5]|53300)/;
const CONNECTION_ERRORS = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOENT",
  "EHOSTUNREACH",
]);
const CONNECTION_MESSAGES =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|is not queryable/;

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

export function isTransient(error: unknown): boolean {
  return TRANSIENT.has(codeOf(error));
}

export function isConnectionFailure(error: unknown): boolean {
  const code = codeOf(error);
  if (CONNECTION_ERRORS.has(code) || CONNECTION_STATES.test(code)) return true;
  return error instanceof Error && CONNECTION_MESSAGES.test(error.message);
}

/** The server is there, but cannot do it now. */
export function isOverload(error: unknown): boolean {
  return OVERLOAD_STATES.test(codeOf(error));
}

/** A statement ran out of its time, whoever was told of it since. */
export function isTooSlow(error: unknown): boolean {
  const known = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return codeOf(known) === STATEMENT_TIMEOUT;
}

/** The name of the violated constraint, so that a service can tell a conflict from a defect. */
export function violatedUnique(error: unknown): string | undefined {
  if (codeOf(error) !== "23505") return undefined;
  const { constraint } = error as { constraint?: unknown };
  return typeof constraint === "string" ? constraint : undefined;
}
