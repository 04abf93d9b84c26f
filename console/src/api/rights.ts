import { usePerson } from "../session/session.ts";
import { operationScopes } from "./operation-scopes.ts";

export type Operation = keyof typeof operationScopes;

/** The scope that the person would need and lacks; undefined if they may do it. */
export function useMissingScope(operation: Operation | undefined): string | undefined {
  const { scopes } = usePerson();
  if (operation === undefined) return undefined;
  const needed: string | undefined = operationScopes[operation];
  return needed === undefined || scopes.has(needed) ? undefined : needed;
}
