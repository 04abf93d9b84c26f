import type { TestApi } from "./start-api.ts";

/**
 * Returns the function that lists the deadlocks since now. Transactions are run again after one, so
 * nothing but the log tells of it.
 */
export function watchDeadlocks({ logLines }: Pick<TestApi, "logLines">): () => string[] {
  const from = logLines.length;
  return () => logLines.slice(from).filter((line) => line.includes("deadlock"));
}
