import Type, { type Static } from "typebox";
import { coordinates } from "./coordinates.ts";

/** The file `server/stores.yml`: the places where customers can visit the tenant. */
export const Store = Type.Object(
  {
    id: Type.String({
      pattern: "^[\\w.-]{1,64}$",
      hint: "Use letters, digits, '.', '_' and '-', at most 64 of them.",
      description: "By which the store is known; it is part of the names of its events.",
      examples: ["marais"],
    }),
    name: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "What people call it.",
      examples: ["Café Lune Marais"],
    }),
    address: Type.Optional(
      Type.String({
        maxLength: 500,
        description: "In one line.",
        examples: ["14 rue des Rosiers, 75004 Paris"],
      }),
    ),
    location: Type.Optional(
      Type.Object(
        {
          ...coordinates,
        },
        {
          additionalProperties: false,
          description: "Where passes with `locations: stores` come forward.",
          examples: [{ latitude: 48.8571, longitude: 2.3592 }],
        },
      ),
    ),
    text: Type.Optional(
      Type.String({
        maxLength: 500,
        description: "Shown on the lock screen when the holder is near.",
        examples: ["Café Lune is around the corner"],
      }),
    ),
  },
  { additionalProperties: false },
);
export type Store = Static<typeof Store>;

export const Stores = Type.Object(
  {
    stores: Type.Array(Store, {
      maxItems: 5_000,
      description: "Where the tenant can be visited; with locations, some 2,500 fit into the file.",
      examples: [[{ id: "marais", name: "Café Lune Marais" }]],
    }),
  },
  { additionalProperties: false },
);
