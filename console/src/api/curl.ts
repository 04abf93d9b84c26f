import { settings } from "../settings.ts";

export type CurlRequest = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From `/api/` on. */
  readonly path: string;
  readonly body?: unknown;
};

/** The same request for a terminal. It reads the key from the environment, so none is copied. */
export function curlOf({ method, path, body }: CurlRequest): string {
  const lines = [`curl -X ${method} ${quote(settings.baseUrl + path)}`];
  lines.push(`-H "X-API-KEY: $BILLFOLD_API_KEY"`);
  if (body !== undefined) {
    lines.push("-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(body))}`);
  }
  return lines.join(" \\\n  ");
}

/** For a POSIX shell: nothing inside single quotes has a meaning but the quote itself. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
