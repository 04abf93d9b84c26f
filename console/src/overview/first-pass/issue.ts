import { api, take } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import type { Pass } from "../numbers.ts";

/** A field of a pass by the path that the API uses, such as `additionalData.firstName`. */
const FIELD = /^(identifiers|additionalData)\.(.+)$/;

/** The fields that a kind of pass cannot do without. The API knows them: it is asked with none. */
export function neededFields(error: unknown): readonly string[] {
  if (!(error instanceof ApiProblem)) return [];
  return Object.keys(error.fields).filter((path) => FIELD.test(path));
}

export async function issuePass(
  tenantId: string,
  passType: string,
  values: Readonly<Record<string, string>>,
): Promise<Pass> {
  const body = { identifiers: {}, additionalData: {} } as Record<string, Record<string, string>>;
  for (const [path, value] of Object.entries(values)) {
    const [, part = "", name = ""] = FIELD.exec(path) ?? [];
    const members = body[part];
    if (members !== undefined && value !== "") members[name] = value;
  }
  const params = { path: { tenantId }, query: { passType } };
  const made: unknown = await take(api.POST("/api/{tenantId}/passes", { params, body } as never));
  return made as Pass;
}
