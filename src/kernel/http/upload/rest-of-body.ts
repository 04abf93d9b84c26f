import type { IncomingMessage } from "node:http";
import type { ProblemError } from "../../errors.ts";
import { problem } from "../problem.ts";

/**
 * A refused caller that is still sending reads the answer only afterwards, and closing the
 * connection would discard the answer. So the rest is read and dropped for this long.
 */
const DISCARD_MS_MAX = 15_000;

export function notWhole(): ProblemError {
  return problem("malformed", "The body did not arrive whole.");
}

/** Resolves when the body has ended or `DISCARD_MS_MAX` is over. */
export function discard(payload: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      payload.off("end", settle).off("close", settle);
      resolve();
    };
    const timer = setTimeout(settle, DISCARD_MS_MAX);
    payload
      .on("end", settle)
      .on("close", settle)
      .on("error", () => undefined);
    payload.resume();
  });
}
