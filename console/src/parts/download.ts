import { authorizedFetch } from "../api/client.ts";
import { ApiProblem } from "../api/problem.ts";
import { settings } from "../settings.ts";

type Wish = {
  /** From `/api/` on. */
  readonly path: string;
  /** For answers that do not name their file. */
  readonly fileName: string;
  readonly accept?: string;
};

/** Fetches a file as the person who is signed in, and hands it to the downloads of the browser. */
export async function download({ path, fileName, accept = "*/*" }: Wish): Promise<void> {
  const request = new Request(settings.baseUrl + path, { headers: { accept } });
  const response = await authorizedFetch(request, "never");
  if (!response.ok) throw new ApiProblem(response, await response.json().catch(() => undefined));
  const told = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1];
  save(await response.blob(), told ?? fileName);
}

export function save(content: Blob, fileName: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = fileName;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
