import { STATUS, type StatusCode } from "./protocol.codes.ts";

/** A request that is answered with a status other than success. The message is for people. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: StatusCode;

  constructor(code: StatusCode, message: string) {
    super(message);
    this.code = code;
  }
}

export const noSuchFile = () => new Refusal(STATUS.noSuchFile, "There is no such file or folder.");
export const denied = (message: string) => new Refusal(STATUS.permissionDenied, message);
export const failed = (message: string) => new Refusal(STATUS.failure, message);
export const unsupported = (message: string) => new Refusal(STATUS.unsupported, message);
