const TRANSIENT = new Set(["40001", "40P01"]);

/** Disk, memory or connections are used up, or a statement or a lock took too long. */
const OVERLOAD_STATES = /^(53|57014$|55P03$)/;

const STATEMENT_TIMEOUT = "57014";

/**
 * The server is stopping or starting, has too many connections, or the connection itself failed.
 */
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

/** The code that the database function `require_guess` raises. */
const WRONG_GUESS = "ZG001";

/** A transaction wrote on the basis of a guess that was wrong. It must run again and look first. */
export function isWrongGuess(error: unknown): boolean {
  return codeOf(error) === WRONG_GUESS;
}

/** The code that the database function `enter_tenant` raises. */
const TENANT_ENDED = "ZT001";

export function isTenantEnded(error: unknown): boolean {
  return codeOf(error) === TENANT_ENDED;
}

export function isTransient(error: unknown): boolean {
  return TRANSIENT.has(codeOf(error));
}

export function isConnectionFailure(error: unknown): boolean {
  const code = codeOf(error);
  if (CONNECTION_ERRORS.has(code) || CONNECTION_STATES.test(code)) return true;
  return error instanceof Error && CONNECTION_MESSAGES.test(error.message);
}

/** The server answers, but has no capacity for the statement now. */
export function isOverload(error: unknown): boolean {
  return OVERLOAD_STATES.test(codeOf(error));
}

/**
 * A statement ran out of its time; also true of the error that was made from that failure for
 * callers.
 */
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
