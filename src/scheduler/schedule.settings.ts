import Type, { type Static, type TSchema } from "typebox";

/**
 * What the kinds of tasks take as `settings`. It stands here and not with the modules that do the
 * work, because the files of a tenant are checked in a process that loads no modules.
 */

const closed = { additionalProperties: false } as const;

const PassType = Type.Optional(
  Type.String({
    pattern: "^[A-Za-z0-9_-]{1,64}$",
    description: "Only passes of this type; default: all.",
  }),
);

const Status = Type.Optional(
  Type.Enum(["active", "disabled", "expired"], {
    description: "Only passes with this status; default: all.",
  }),
);

const COLUMNS_MAX = 200;

/** The columns of an export that every pass has. */
export const EXPORT_COLUMNS = [
  "passId",
  "passType",
  "status",
  "creationDate",
  "lastUpdateDate",
  "expirationDate",
  "version",
  "apple",
  "google",
] as const;

const Column = Type.String({
  pattern: `^(${EXPORT_COLUMNS.join("|")}|(identifiers|additionalData|metadata|privileges)\\.[^\\u0000-\\u001f]{1,128})$`,
  description: "A member of a pass, such as `additionalData.firstName`.",
});

export const TASK_SETTINGS = {
  "expire-passes": Type.Object({ passType: PassType }, closed),
  "refresh-metadata": Type.Object({ passType: PassType, status: Status }, closed),
  import: Type.Object({}, closed),
  "sync-wallet-classes": Type.Object({ passType: PassType }, closed),
  "check-credentials": Type.Object({}, closed),
  purge: Type.Object({}, closed),
  export: Type.Object(
    {
      passType: PassType,
      status: Status,
      columns: Type.Optional(
        Type.Array(Column, { minItems: 1, maxItems: COLUMNS_MAX, uniqueItems: true }),
      ),
    },
    closed,
  ),
} as const satisfies Record<string, TSchema>;

export type TaskKindName = keyof typeof TASK_SETTINGS;
export type TaskSettings<Kind extends TaskKindName = TaskKindName> = Static<
  (typeof TASK_SETTINGS)[Kind]
>;

export const TASK_KINDS = Object.keys(TASK_SETTINGS) as TaskKindName[];
