import Type, { type Static } from "typebox";

const closed = { additionalProperties: false } as const;
const text = (maxLength = 200) => Type.String({ minLength: 1, maxLength });

export const ProjectCreate = Type.Object(
  {
    token: Type.Optional(text()),
    apiKeyId: Type.Optional(text()),
    apiKeySecret: Type.Optional(text()),
    /** Consents that the project knows. */
    categories: Type.Optional(Type.Array(text(), { maxItems: 50 })),
    /** How many requests a minute it takes; more are dropped. */
    requestsPerMinute: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    /** Event types that the key may not write; each is refused with a 200. */
    forbiddenEvents: Type.Optional(Type.Array(text(), { maxItems: 100 })),
    /** Attributes that the key may not read. */
    forbiddenAttributes: Type.Optional(Type.Array(text(), { maxItems: 100 })),
    /** Whether the key may export and anonymize. */
    mayExport: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type ProjectCreate = Static<typeof ProjectCreate>;

export const CustomerPut = Type.Object(
  {
    project: Type.Optional(text()),
    customer_ids: Type.Record(Type.String({ maxLength: 100 }), text(500), { minProperties: 1 }),
    properties: Type.Optional(Type.Record(Type.String({ maxLength: 200 }), Type.Unknown())),
    /** By id: segmentations, expressions, aggregates and predictions. */
    computed: Type.Optional(Type.Record(Type.String({ maxLength: 200 }), Type.Unknown())),
    consents: Type.Optional(Type.Record(Type.String({ maxLength: 100 }), Type.Boolean())),
  },
  closed,
);
export type CustomerPut = Static<typeof CustomerPut>;
