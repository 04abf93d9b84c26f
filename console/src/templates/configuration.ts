import type { components } from "../../generated/schema.ts";
import { api, authorizedFetch, type ListPage, take, takePage } from "../api/client.ts";
import { ApiProblem, isProblem } from "../api/problem.ts";
import { settings } from "../settings.ts";

export type FileContent = string | { readonly base64: string };
export type Files = Readonly<Record<string, FileContent>>;
/** A file that is null is taken away. */
export type FileChanges = Readonly<Record<string, FileContent | null>>;
export type Version = components["schemas"]["ConfigurationVersion"];
export type Tested = components["schemas"]["ConfigurationTest"];
export type Published = components["schemas"]["ConfigurationPublished"];

export type Configuration = {
  /** The files that are worked on: those of the draft, or those in force if there is none. */
  readonly files: Files;
  readonly isDraft: boolean;
};

/** Events after which the files must be read again. */
export const CONFIGURATION_EVENTS = ["configuration."];
const HISTORY_PAGE_SIZE = 50;
const UPLOAD_MS_MAX = 120_000;

export const configurationKey = (tenantId: string): readonly unknown[] => [
  "configuration",
  tenantId,
];

type Query = { readonly draft?: true; readonly version?: number };

/** The files of a version; by default of the one in force. */
export async function getFiles(tenantId: string, query: Query = {}): Promise<Files> {
  const sent = api.GET("/api/tenants/{tenantId}", {
    params: { path: { tenantId }, query },
    headers: { accept: "application/json" },
  });
  const { files } = (await take(sent)) as components["schemas"]["Configuration"];
  return files;
}

export async function getConfiguration(tenantId: string): Promise<Configuration> {
  try {
    return { files: await getFiles(tenantId, { draft: true }), isDraft: true };
  } catch (error) {
    if (!isProblem(error, "configuration.draft-not-found")) throw error;
    return { files: await getFiles(tenantId), isDraft: false };
  }
}

export const saveDraft = (tenantId: string, files: FileChanges): Promise<Published> =>
  take(
    api.PATCH("/api/tenants/{tenantId}", {
      params: { path: { tenantId }, query: { publish: false } },
      body: { files },
    }),
  );

export const testFiles = (tenantId: string): Promise<Tested> =>
  take(api.GET("/api/tenants/{tenantId}/test", { params: { path: { tenantId } } }));

export const publishDraft = (tenantId: string, message: string): Promise<Published> =>
  take(
    api.POST("/api/tenants/{tenantId}/publish", {
      params: { path: { tenantId } },
      body: message === "" ? {} : { message },
    }),
  );

export const discardDraft = (tenantId: string): Promise<unknown> =>
  take(api.DELETE("/api/tenants/{tenantId}/draft", { params: { path: { tenantId } } }));

export const listVersions = (tenantId: string): Promise<ListPage<Version>> =>
  takePage(
    api.GET("/api/tenants/{tenantId}/config/history", {
      params: { path: { tenantId }, query: { pageSize: HISTORY_PAGE_SIZE } },
    }),
  );

export const rollBack = (tenantId: string, version: number): Promise<Published> =>
  take(
    api.POST("/api/tenants/{tenantId}/config/rollback", {
      params: { path: { tenantId } },
      body: { version },
    }),
  );

const addressOf = (tenantId: string): string =>
  `${settings.baseUrl}/api/tenants/${encodeURIComponent(tenantId)}`;

/** All files of an archive become the draft. */
export async function uploadArchive(tenantId: string, archive: Blob): Promise<void> {
  const request = new Request(`${addressOf(tenantId)}?publish=false`, {
    method: "PUT",
    headers: { "content-type": "application/zip" },
    body: archive,
  });
  await takeRaw(await authorizedFetch(request, UPLOAD_MS_MAX));
}

export async function downloadArchive(tenantId: string, isDraft: boolean): Promise<Blob> {
  const url = `${addressOf(tenantId)}${isDraft ? "?draft=true" : ""}`;
  const headers = { accept: "application/zip" };
  const response = await authorizedFetch(new Request(url, { headers }), UPLOAD_MS_MAX);
  return await (await takeRaw(response)).blob();
}

async function takeRaw(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw new ApiProblem(response, await response.json().catch(() => undefined));
}

export const isText = (content: FileContent | null | undefined): content is string =>
  typeof content === "string";

export const isSame = (left: FileContent | undefined, right: FileContent | undefined): boolean =>
  left === right || (left !== undefined && JSON.stringify(left) === JSON.stringify(right));

const TEMPLATE = /^(?:server\/passes\/([^/]+)\.yml|layouts\/([^/]+)\.(?:apple|google)\.yml)$/;

/** The pass type that a file belongs to. */
export function passTypeOf(path: string): string | undefined {
  const [, template, layout] = TEMPLATE.exec(path) ?? [];
  return template ?? layout;
}

export const passTypesIn = (files: Files): string[] =>
  Object.keys(files).flatMap((path) => /^server\/passes\/([^/]+)\.yml$/.exec(path)?.[1] ?? []);
