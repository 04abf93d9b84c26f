import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { ProblemError } from "../errors.ts";
import type { Log } from "../log.ts";
import { presentProblem, problem } from "./problem.ts";
import { newRequestId } from "./request-id.ts";

/** What Node reports before there is a request; `reason` is the parser's own words. */
type ClientError = Error & { readonly code?: string; readonly reason?: string };

/** What Node keeps on a socket while an answer is under way. */
type ServerSocket = Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null };

/** How long the caller may take to read why it is cut off: closing at once could discard the answer. */
const LINGER_MS = 1_000;

/** Answers bytes that are no request, as any other problem is answered, and hangs up. */
export function answerClientError(error: ClientError, socket: ServerSocket, log: Log): void {
  // Once refused, a connection stays refused: what still arrives on it is not looked at.
  if (socket.writableEnded) return;
  if (error.code === "ECONNRESET" || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  const requestId = newRequestId();
  const refusal = toProblem(error);
  socket.end(render(refusal, requestId));
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
  const { status } = refusal;
  log.info({ status, reason: error.code, requestId, ip: socket.remoteAddress }, "not a request");
}

function toProblem({ code, reason }: ClientError): ProblemError {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return problem("timeout", "The request did not arrive in time.");
    case "HPE_HEADER_OVERFLOW":
      return problem("headersTooLarge", "The address and the headers are too large together.");
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return problem("malformed", "The chunk extensions are too large.");
    default:
      return problem("malformed", `This is not valid HTTP: ${reason ?? "it cannot be parsed"}.`);
  }
}

function render(refusal: ProblemError, requestId: string): string {
  const body = JSON.stringify(presentProblem(refusal, requestId));
  return [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    "Cache-Control: no-store",
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}
