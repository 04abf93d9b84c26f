import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { ProblemError } from "../errors.ts";
import type { Log } from "../log.ts";
import { presentProblem, problem } from "./problem.ts";
import { newRequestId } from "./request-id.ts";
import { isUploading } from "./upload/incoming-upload.ts";

/** The error that Node reports when bytes are not a request; `reason` is the text of its parser. */
type ClientError = Error & { readonly code?: string; readonly reason?: string };

/** The answer under way, which Node keeps on the socket. */
type ServerSocket = Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null };

/** The time that the caller has to read the answer: closing at once could discard it. */
const LINGER_MS = 1_000;

/** Answers bytes that are not a request with problem details, and closes the connection. */
export function answerClientError(error: ClientError, socket: ServerSocket, log: Log): void {
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && isUploading(socket)) return;
  // A refused connection stays refused: further bytes on it are ignored.
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
