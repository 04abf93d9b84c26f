import { useTenantId } from "../navigation.tsx";
import { TENANTS_LISTED_MAX, useTenants } from "../tenants.ts";
import { useWords } from "../words/language.ts";
import { Frame } from "./frame.tsx";
import { Nowhere } from "./nowhere.tsx";
import { words } from "./words.ts";

/**
 * The pages of a tenant that the person may enter. Without this, every part of a page would ask for a
 * tenant that is not there, and each would show an error of its own. As long as the list of tenants is
 * on its way, or too long to be known whole, the page is shown: nearly always the tenant is there.
 */
export function TenantGate() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const { data: tenants, isSuccess } = useTenants();
  const isKnown = isSuccess && tenants.length < TENANTS_LISTED_MAX;
  const isMissing = isKnown && !tenants.some((tenant) => tenant.tenantId === tenantId);
  if (!isMissing) return <Frame />;
  return <Nowhere title={w.noSuchTenant} text={w.noSuchTenantText(tenantId)} />;
}
