import type { ProblemError } from "../errors.ts";
import { problem } from "./problem.ts";
import type { Route } from "./route.ts";

export const BODY_SIZE_BYTES_MAX = 1024 * 1024;

/**
 * While a JSON body is read, it is in memory several times, so its limit is lower than that of
 * bytes.
 */
export function jsonSizeBytesMax(route: Route): number {
  return route.bodySizeBytesMax ?? BODY_SIZE_BYTES_MAX;
}

export function bodySizeBytesMax(route: Route): number {
  const { rawBody, upload } = route;
  return upload?.sizeBytesMax ?? Math.max(jsonSizeBytesMax(route), rawBody?.sizeBytesMax ?? 0);
}

export function bodyTooLarge(): ProblemError {
  return problem("tooLarge", "The body is larger than this operation takes.", {
    headers: { connection: "close" },
  });
}
