import Type, { type Static } from "typebox";

/** `server/stores.yml`: where a tenant can be visited. */
export const Store = Type.Object(
  {
    id: Type.String({ pattern: "^[\\w.-]{1,64}$" }),
    name: Type.String({ minLength: 1, maxLength: 200 }),
    address: Type.Optional(Type.String({ maxLength: 500 })),
    location: Type.Optional(
      Type.Object(
        {
          latitude: Type.Number({ minimum: -90, maximum: 90 }),
          longitude: Type.Number({ minimum: -180, maximum: 180 }),
        },
        { additionalProperties: false },
      ),
    ),
    /** Shown on the lock screen when the holder is near. */
    text: Type.Optional(Type.String({ maxLength: 500 })),
  },
  { additionalProperties: false },
);
export type Store = Static<typeof Store>;

export const Stores = Type.Object(
  { stores: Type.Array(Store, { maxItems: 10_000 }) },
  { additionalProperties: false },
);
