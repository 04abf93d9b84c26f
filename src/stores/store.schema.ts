import { hash } from "node:crypto";
import Type, { type Static } from "typebox";
import { Store } from "#src/templates/public.ts";

/** The same members as in `server/stores.yml`. */
export const StoreResource = Type.Object(Store.properties, { title: "Store" });
export type StoreResource = Static<typeof StoreResource>;

export const StoreParams = Type.Object({
  tenantId: Type.String(),
  storeId: Type.String({ description: "The store, as the file calls it.", examples: ["marais"] }),
});

export type StoredStore = {
  readonly id: string;
  readonly name: string;
  readonly address: string | null;
  readonly location: { readonly latitude: number; readonly longitude: number } | null;
  readonly text: string | null;
};

export function presentStore({ id, name, address, location, text }: StoredStore): StoreResource {
  return {
    id,
    name,
    ...(address === null ? {} : { address }),
    ...(location === null ? {} : { location }),
    ...(text === null ? {} : { text }),
  };
}

/**
 * A digest of what is shown. A number would begin again with a store that is removed and added later,
 * and with a tenant whose id is used again: other contents would have the tag of earlier ones.
 */
export function versionOf(store: StoredStore): string {
  return hash("sha256", JSON.stringify(presentStore(store)), "base64url");
}

export const STORE_EXAMPLE: StoreResource = {
  id: "marais",
  name: "Café Lune Marais",
  address: "14 rue des Rosiers, 75004 Paris",
  location: { latitude: 48.8571, longitude: 2.3592 },
  text: "Café Lune Marais is around the corner",
};
