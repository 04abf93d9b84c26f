import { IconBuildingStore } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type TenantSearch = {
  readonly q?: string;
  readonly sort?: string;
  /** `yes` while a tenant is being created. */
  readonly new?: string;
};

export const page = definePage<TenantSearch>({
  id: "tenants",
  path: "settings/tenants",
  group: "platform",
  order: 10,
  title: { en: "Tenants", fr: "Espaces" },
  keywords: { en: "brand create delete installation", fr: "marque créer supprimer installation" },
  icon: IconBuildingStore,
  needs: "tenant.list",
  search: ["q", "sort", "new"],
});
