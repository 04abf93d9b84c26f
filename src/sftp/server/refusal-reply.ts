import { ProblemError } from "#kernel/errors.ts";
import type { Log } from "#kernel/log.ts";
import { STATUS, type StatusCode } from "../protocol/protocol.codes.ts";
import { Refusal } from "../protocol/refusal.ts";
import { statusReply } from "../protocol/reply.ts";
import type { SftpRequest } from "../protocol/request.ts";

const NOT_THERE: ReadonlySet<number> = new Set([404, 410]);

/** The answer to a request that failed. Only what is meant for callers is told. */
export function refusalReply(log: Log, request: SftpRequest, error: unknown): Buffer {
  if (request.kind === "init") throw error;
  const reply = (code: StatusCode, message: string) => statusReply(request.id, code, message);
  if (error instanceof Refusal) return reply(error.code, error.message);
  if (error instanceof ProblemError && error.status < 500) {
    const code = NOT_THERE.has(error.status) ? STATUS.noSuchFile : STATUS.failure;
    return reply(code, sentenceOf(error));
  }
  log.error({ err: error, request: request.kind }, "sftp: a request failed");
  return reply(STATUS.failure, "The service failed. Try again later.");
}

/** Of a validation problem, what is wrong with each member. */
function sentenceOf({ message, errors }: ProblemError): string {
  if (errors === undefined) return message;
  return Object.entries(errors)
    .map(([member, problems]) => `${member} ${problems.join(", ")}.`)
    .join(" ");
}
