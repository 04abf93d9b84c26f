import type { components } from "../../generated/schema.ts";
import { api, type ListPage, take, takePage } from "../api/client.ts";
import { type Filter, type ListWish, listQuery } from "../api/list-query.ts";

export type Import = components["schemas"]["Import"];
export type ImportOutcome = components["schemas"]["ImportOutcome"];
export type SftpFile = components["schemas"]["SftpFile"];
export type SftpStatus = components["schemas"]["SftpStatus"];
export type OutcomeName = ImportOutcome["outcome"];

export const OUTCOMES: readonly OutcomeName[] = ["created", "updated", "unchanged", "failed"];

/** The end of an import is told by itself. */
export const IMPORT_EVENTS = ["import."];
/** Its rows are told as changes of passes, so the counts of an import that runs move with them. */
export const ROW_EVENTS = [...IMPORT_EVENTS, "pass."];
export const importsOf = (tenantId: string): readonly unknown[] => ["imports", tenantId];

const at = (tenantId: string, importId: string) => ({ params: { path: { tenantId, importId } } });

export const listImports = (tenantId: string, wish: ListWish): Promise<ListPage<Import>> =>
  takePage(
    api.GET("/api/{tenantId}/admin/imports", {
      params: { path: { tenantId }, query: listQuery(wish) },
    }),
  );

export const getImport = (tenantId: string, importId: string): Promise<Import> =>
  take(api.GET("/api/{tenantId}/admin/imports/{importId}", at(tenantId, importId)));

export const cancelImport = (tenantId: string, importId: string): Promise<unknown> =>
  take(api.DELETE("/api/{tenantId}/admin/imports/{importId}", at(tenantId, importId)));

export const listOutcomes = (
  tenantId: string,
  importId: string,
  wish: ListWish,
): Promise<ListPage<ImportOutcome>> =>
  takePage(
    api.GET("/api/{tenantId}/admin/imports/{importId}/log", {
      params: { path: { tenantId, importId }, query: listQuery(wish) },
      // The same address gives a table to whoever asks for one.
      headers: { accept: "application/json" },
    }) as never,
  );

export const getDrop = (tenantId: string): Promise<SftpStatus> =>
  take(api.GET("/api/{tenantId}/admin/sftp/status", { params: { path: { tenantId } } }));

export const listDropFiles = (tenantId: string, wish: ListWish): Promise<ListPage<SftpFile>> =>
  takePage(
    api.GET("/api/{tenantId}/admin/sftp/files", {
      params: { path: { tenantId }, query: listQuery(wish) },
    }),
  );

/** It is not over: something may still become of it. */
export const isOpen = ({ status }: Import): boolean =>
  status === "uploading" || status === "pending" || status === "running";

/** What is typed above the rows: a number is a line, anything else the id of a pass. */
export const rowFilter = (value: string): Filter[] =>
  /^\d+$/.test(value)
    ? [{ field: "line", operator: "equals", value }]
    : [{ field: "passId", operator: "equals", value }];

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
const THOUSAND = 1_000;

/** `12,4 ko`: as the language of the person writes it. */
export function sizeIn(language: string, bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < THOUSAND ? 0 : Math.floor(Math.log10(bytes) / 3));
  const format = new Intl.NumberFormat(language, {
    style: "unit",
    unit: UNITS[step] ?? "byte",
    unitDisplay: step === 0 ? "long" : "short",
    maximumFractionDigits: step === 0 ? 0 : 1,
  });
  return format.format(bytes / THOUSAND ** step);
}
