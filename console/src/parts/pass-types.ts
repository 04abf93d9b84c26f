import { useQuery } from "@tanstack/react-query";
import { api, take } from "../api/client.ts";
import { useMissingScope } from "../api/rights.ts";

const NONE: readonly string[] = [];

/** The pass types for which there is a template. */
export async function listPassTypes(tenantId: string): Promise<readonly string[]> {
  const params = { path: { tenantId } };
  const types = await take(api.GET("/api/{tenantId}/pass-types", { params }));
  return types.map(({ passType }) => passType);
}

/** None for whoever may not read passes. */
export function usePassTypes(tenantId: string): readonly string[] {
  const missing = useMissingScope("pass-type.list");
  const { data = NONE } = useQuery({
    queryKey: ["pass types", tenantId],
    enabled: missing === undefined,
    meta: { live: ["configuration."] },
    queryFn: () => listPassTypes(tenantId),
  });
  return data;
}
