import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { settings } from "../settings.ts";
import { getLanguage } from "../words/language.ts";
import { CHANGES_URL, loadPhones } from "./simulator.ts";

export const phonesOf = (tenantId: string): readonly unknown[] => ["phones", tenantId];

/** The phones as they are now: the simulator tells of each change, and is asked what it was. */
export function usePhones(tenantId: string) {
  const queries = useQueryClient();
  const isPossible = settings.environment === "staging";
  const query = useQuery({
    queryKey: phonesOf(tenantId),
    queryFn: () => loadPhones(tenantId, getLanguage()),
    enabled: isPossible,
    // Whether the simulator is there does not change while the page is open.
    retry: false,
  });
  const isThere = query.data !== undefined;
  useEffect(() => {
    if (!isThere) return undefined;
    const changes = new EventSource(CHANGES_URL);
    changes.addEventListener("changed", () => {
      void queries.invalidateQueries({ queryKey: phonesOf(tenantId) });
    });
    return () => changes.close();
  }, [isThere, queries, tenantId]);
  return { ...query, isPossible };
}
