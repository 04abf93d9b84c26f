import Type, { type Static } from "typebox";
import { IDENTIFIER_LENGTH_MAX } from "#src/customers/public.ts";
import { Delivery } from "../deliveries/delivery.schema.ts";
import { changeMembers, PASS_EXAMPLE, PASS_ID, PassView, UpdateOptions } from "../pass.schema.ts";

export const PASS_IDS_MAX = 10_000;
export const IDENTIFIER_SETS_MAX = 1_000;
export const UPDATES_MAX = 5_000;
export const FILTERS_MAX = 20;
export const NOT_FOUND_SHOWN_MAX = 1_000;
export const BYPASS_MAX = 100;
/** Enough for five thousand updates with some words each. */
export const UPDATE_BYTES_MAX = 8 * 1024 * 1024;

const closed = { additionalProperties: false } as const;
const { identifiers: _ambiguous, ...otherMembers } = changeMembers;
const PassId = Type.String({ ...PASS_ID, examples: [PASS_EXAMPLE.id] });
const Value = Type.String({ minLength: 1, maxLength: IDENTIFIER_LENGTH_MAX });
const MaybeValue = Type.Union([Value, Type.Null()]);
const IdentifierSet = Type.Record(Type.String(), Value, { minProperties: 1 });

const FilterSent = Type.Object(
  {
    field: Type.String({ maxLength: 200, examples: ["additionalData.tier"] }),
    operator: Type.String({ maxLength: 20, examples: ["equals"] }),
    value: Type.Optional(
      Type.Union([Type.String({ maxLength: 1_000 }), Type.Number(), Type.Boolean()], {
        description: "What to compare with. Only the operator `exists` does without, as with true.",
      }),
    ),
  },
  closed,
);
export type FilterSent = Static<typeof FilterSent>;

const OwnUpdate = Type.Object(
  {
    passId: Type.Optional(PassId),
    identifiers: Type.Optional(
      Type.Record(Type.String(), MaybeValue, {
        description:
          "Beside a `passId`, those to change; without one, those by which the pass is found.",
      }),
    ),
    ...otherMembers,
  },
  closed,
);
export type OwnUpdate = Static<typeof OwnUpdate>;

export const PassUpdateMany = Type.Object(
  {
    passIds: Type.Optional(Type.Array(PassId, { minItems: 1, maxItems: PASS_IDS_MAX })),
    identifiers: Type.Optional(
      Type.Union(
        [
          Type.Array(IdentifierSet, {
            minItems: 1,
            maxItems: IDENTIFIER_SETS_MAX,
            description: "Selects, with each object, the passes that have all of its identifiers.",
          }),
          Type.Record(Type.String(), MaybeValue, {
            description: "What to change in the passes that were selected otherwise.",
          }),
        ],
        { description: "A list selects passes; an object is part of the change." },
      ),
    ),
    filter: Type.Optional(
      Type.Array(FilterSent, {
        minItems: 1,
        maxItems: FILTERS_MAX,
        description: "The same fields and operators as those of the list of passes; all must hold.",
      }),
    ),
    updates: Type.Optional(
      Type.Array(OwnUpdate, {
        minItems: 1,
        maxItems: UPDATES_MAX,
        description: "A change for each pass, named by `passId` or found by `identifiers`.",
      }),
    ),
    ...otherMembers,
    options: Type.Optional(UpdateOptions),
  },
  { ...closed, title: "PassUpdateMany" },
);
export type PassUpdateMany = Static<typeof PassUpdateMany>;

const MetadataFailures = Type.Optional(
  Type.Array(Type.Object({ source: Type.String(), message: Type.String() }), {
    description: "Sources that delivered nothing, with `UpdateMetadata`.",
  }),
);

export const UpdateAccepted = Type.Object(
  {
    jobId: Type.String({ description: "`GET /jobs/{jobId}` tells how far it is." }),
    matched: Type.Integer({ minimum: 0 }),
    notFound: Type.Array(Type.Union([Type.String(), Type.Record(Type.String(), Type.String())]), {
      description: `Ids and identifiers that no pass has; the first ${NOT_FOUND_SHOWN_MAX}.`,
    }),
  },
  { title: "UpdateAccepted" },
);
export type UpdateAccepted = Static<typeof UpdateAccepted>;

export const UpdateResult = Type.Object(
  {
    passId: Type.Optional(Type.String()),
    identifiers: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "Where no pass has them." }),
    ),
    result: Type.Enum(["updated", "unchanged", "failed", "not-found"]),
    version: Type.Optional(Type.Integer({ minimum: 1 })),
    problem: Type.Optional(
      Type.Object({
        code: Type.String(),
        message: Type.String(),
        errors: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
      }),
    ),
    metadataFailures: MetadataFailures,
    delivery: Type.Optional(Delivery),
  },
  { title: "UpdateResult" },
);
export type UpdateResult = Static<typeof UpdateResult>;

export const UpdatedMany = Type.Object(
  { results: Type.Array(UpdateResult) },
  { title: "UpdatedPasses" },
);

export const SingleAccepted = Type.Object({ jobId: Type.String() }, { title: "JobAccepted" });

export const UpdatedPass = Type.Object(
  { ...PassView.properties, metadataFailures: MetadataFailures, delivery: Delivery },
  { title: "UpdatedPass" },
);

export const ACCEPTED_EXAMPLE: UpdateAccepted = {
  jobId: "job_0VfQm3Ks00x7Rk2LwPq9Zt",
  matched: 2,
  notFound: [],
};
