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
  readonly version: number;
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

/** Contains the id, so that two stores never have the same version. */
export function versionOf({ id, version }: StoredStore): string {
  return `${id}.${version}`;
}

export const STORE_EXAMPLE: StoreResource = {
  id: "marais",
  name: "Café Lune Marais",
  address: "14 rue des Rosiers, 75004 Paris",
  location: { latitude: 48.8571, longitude: 2.3592 },
  text: "Café Lune Marais is around the corner",
};
