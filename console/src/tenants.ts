import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, take } from "./api/client.ts";
import type { TenantChoice } from "./session/person.ts";
import { usePerson } from "./session/session.ts";

/** The API lists so many at most: of a longer list, the rest is not known here. */
export const TENANTS_LISTED_MAX = 1_000;

const keyOf = (personId: string) => ["tenants", personId];

/** The tenants that the person may enter: all of them, or those that are named in their account. */
export function useTenants() {
  const person = usePerson();
  return useQuery({
    queryKey: keyOf(person.id),
    queryFn: async (): Promise<readonly TenantChoice[]> => {
      if (person.isGlobal) return await take(api.GET("/api/tenants"));
      return (await take(api.GET("/api/me"))).tenants;
    },
    // The sign-in has brought them just now.
    ...(person.isGlobal ? {} : { initialData: person.tenants }),
    meta: { live: ["tenant.", "configuration."] },
  });
}

/** Takes a tenant that is gone off the list before the API is asked again: no page leads to it meanwhile. */
export function useForgetTenant() {
  const person = usePerson();
  const queries = useQueryClient();
  return (gone: string) =>
    queries.setQueryData<readonly TenantChoice[]>(keyOf(person.id), (known) =>
      known?.filter(({ tenantId }) => tenantId !== gone),
    );
}
