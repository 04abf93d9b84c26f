import type { components } from "../../generated/schema.ts";
import { api, type ListPage, take, takePage } from "../api/client.ts";
import { type Filter, type ListWish, listQuery } from "../api/list-query.ts";

export type Pass = components["schemas"]["Pass"];
export type PassChange = Omit<components["schemas"]["PassUpdate"], "options">;

/**
 * Events that change a list of passes. While a job changes a million, `pass.updated` happens a
 * thousand times a second: the events of the job tell the list when it is worth to ask again.
 */
export const PASS_EVENTS = [
  "pass.created",
  "pass.deleted",
  "pass.installed",
  "pass.uninstalled",
  "pass.enabled",
  "pass.disabled",
  "pass.expired",
  "job.",
];

export const passesOf = (tenantId: string): readonly unknown[] => ["passes", tenantId];

export const listPasses = (tenantId: string, wish: ListWish): Promise<ListPage<Pass>> =>
  takePage(
    api.GET("/api/{tenantId}/passes", {
      params: { path: { tenantId }, query: listQuery(wish) },
    }),
  );

export type NewPass = {
  readonly passType: string;
  readonly identifiers: Readonly<Record<string, string>>;
  readonly additionalData: Readonly<Record<string, unknown>>;
};

export async function createPass(tenantId: string, made: NewPass): Promise<Pass> {
  const { passType, ...body } = made;
  const params = { path: { tenantId }, query: { passType } };
  const pass: unknown = await take(api.POST("/api/{tenantId}/passes", { params, body } as never));
  return pass as Pass;
}

/** Which passes a change is for: those that were ticked, or all that fit a filter. */
export type Selection =
  | { readonly by: "ids"; readonly passIds: readonly string[] }
  | { readonly by: "filter"; readonly filters: readonly Filter[]; readonly total: number };

/** The API wants at least one condition, so that nobody changes everything by mistake. */
const everything = (): Filter => ({
  field: "creationDate",
  operator: "lessThan",
  value: new Date().toISOString(),
});

/** Asks for a change of many passes, and tells the job that makes it. */
export async function changePasses(
  tenantId: string,
  selection: Selection,
  change: PassChange,
  options: { readonly UpdateMetadata?: boolean } = {},
): Promise<string> {
  const chosen =
    selection.by === "ids"
      ? { passIds: [...selection.passIds] }
      : { filter: selection.filters.length === 0 ? [everything()] : [...selection.filters] };
  const params = { path: { tenantId } };
  const body = { ...chosen, ...change, options };
  const told: unknown = await take(api.PATCH("/api/{tenantId}/passes", { params, body } as never));
  return (told as { jobId: string }).jobId;
}

export type Message = { readonly title: string; readonly content: string };

export const notifyHolder = (
  tenantId: string,
  passId: string,
  { title, content }: Message,
): Promise<unknown> =>
  take(
    api.PUT("/api/{tenantId}/passes/{passId}/notification", {
      params: { path: { tenantId, passId } },
      body: title === "" ? { content } : { title, content },
    } as never),
  );

/** A word by which people know a pass: the name of the holder, or the first identifier. */
export function nameOf({ identifiers, additionalData, id }: Pass): string {
  const data = (additionalData ?? {}) as Record<string, unknown>;
  const parts = [data.firstName, data.lastName ?? data.name];
  const name = parts.filter((part) => typeof part === "string").join(" ");
  return name || String(Object.values(identifiers ?? {})[0] ?? id);
}

/** The identifiers in one line. */
export const identifiersOf = ({ identifiers }: Pass): string =>
  Object.entries(identifiers ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ");
