import { type EgressRefusal, explainRefusal } from "./egress-policy.ts";

/** Callers store these codes and decide by them whether to try again: add, never rename. */
export type EgressErrorCode =
  /**
   * The guard refuses this call, and will refuse it again until a setting or the address changes.
   */
  | "egress.refused"
  | "egress.dns"
  /** No connection, or it broke before the whole answer had arrived. */
  | "egress.connect"
  | "egress.tls"
  | "egress.timeout"
  /** The answer is not HTTP, or its headers are too large. */
  | "egress.protocol"
  /**
   * This process has too many connections open: nothing was sent, and the receiver is not at fault.
   */
  | "egress.busy"
  /** This process is stopping. */
  | "egress.closed";

const MESSAGES: Record<EgressErrorCode, string> = {
  "egress.refused": "This address may not be called.",
  "egress.dns": "The name of the host could not be resolved.",
  "egress.connect": "The connection failed or broke.",
  "egress.tls": "No trusted TLS connection could be made.",
  "egress.timeout": "The answer did not come in time.",
  "egress.protocol": "The answer is not valid HTTP.",
  "egress.busy": "Too many outbound connections are open.",
  "egress.closed": "The service is stopping.",
};

type Facts = { readonly reason?: EgressRefusal; readonly detail?: string | undefined };

/**
 * A call that got no answer. It is safe to show to the person who chose the address: it contains no
 * resolved name, no IP address, and no `cause` that would carry them.
 */
export class EgressError extends Error {
  readonly code: EgressErrorCode;
  /** Set with `egress.refused` only. */
  readonly reason: EgressRefusal | undefined;
  /** The system's error code, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`. */
  readonly detail: string | undefined;

  constructor(code: EgressErrorCode, { reason, detail }: Facts = {}) {
    const more = reason === undefined ? "" : ` ${explainRefusal(reason)}`;
    super(`${MESSAGES[code]}${more}${detail === undefined ? "" : ` (${detail})`}`);
    this.name = "EgressError";
    this.code = code;
    this.reason = reason;
    this.detail = detail;
  }
}

export function refused(reason: EgressRefusal): EgressError {
  return new EgressError("egress.refused", { reason });
}

/** For a failure before the request could have been sent. */
export function connectFailure(error: unknown, isHandshake: boolean): EgressError {
  if (error instanceof EgressError) return error;
  const code = codeOf(error);
  if (code === "ETIMEDOUT") return new EgressError("egress.timeout", { detail: code });
  return new EgressError(isHandshake ? "egress.tls" : "egress.connect", { detail: detailOf(code) });
}

/** For a failure after the request was sent. */
export function exchangeFailure(error: unknown): EgressError {
  if (error instanceof EgressError) return error;
  const code = codeOf(error);
  const detail = detailOf(code);
  switch (code) {
    case "UND_ERR_INVALID_ARG":
      return refused("request-not-valid");
    case "UND_ERR_CLOSED":
    case "UND_ERR_DESTROYED":
      return new EgressError("egress.closed");
    case "UND_ERR_SOCKET":
      return new EgressError("egress.connect", { detail: "ECONNRESET" });
    default:
      return /^E[A-Z]+$/.test(code)
        ? new EgressError("egress.connect", { detail })
        : new EgressError("egress.protocol", { detail });
  }
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : "";
}

/** The codes of the HTTP library are left out, because they mean nothing to a reader. */
function detailOf(code: string): string | undefined {
  return code === "" || code.startsWith("UND_") ? undefined : code;
}
