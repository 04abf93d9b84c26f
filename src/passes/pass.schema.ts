import Type, { type Static } from "typebox";
import { parseTimestamp } from "#kernel/http/list-values.ts";
import { IDENTIFIER_LENGTH_MAX, type Identifiers } from "#src/customers/public.ts";
import type { PassData } from "./pass.rules.ts";

/** The id of a pass, as it is sent and shown. */
export const PASS_ID = {
  pattern: "^[\\w-]{5,50}$",
  mustBe: "the id of a pass: 5 to 50 letters, digits, '_' or '-'",
};
const ID_EXAMPLE = "ps_0VfQm3Ks00x7Rk2LwPq9Zt";

export const PassStatus = Type.Enum(["active", "disabled", "expired"], {
  description: "`expired` follows from `expirationDate`; the other two are set.",
});
export type PassStatus = "active" | "disabled" | "expired";

const Moment = Type.String({ format: "date-time" });
const MaybeMoment = Type.Union([Moment, Type.Null()]);
/** As it is sent: the format alone takes leap seconds and years that cannot be stored or shown. */
const MomentSent = Type.Refine(
  Type.String({ format: "date-time", maxLength: 40 }),
  (text) => parseTimestamp(text) !== undefined,
  () => "must be a time between the years 0001 and 9999, with its offset from UTC",
);
const closed = { additionalProperties: false } as const;

const Value = Type.String({ minLength: 1, maxLength: IDENTIFIER_LENGTH_MAX });
const IdentifiersSent = Type.Record(Type.String(), Value, {
  title: "Identifiers",
  description:
    "External identifiers. Each name is `<source>.<name>`: the system that gave it and what it is called there.",
  examples: [{ "crm.id": "C-4711", "loyalty.number": "40012345" }],
});
const DataSent = Type.Record(Type.String(), Type.Unknown(), {
  description: "Values of this pass, as the template of its type describes them.",
});

export const WalletStatus = Type.Enum(["none", "installed", "uninstalled"]);

const WalletState = Type.Object(
  {
    status: WalletStatus,
    installedAt: MaybeMoment,
    uninstalledAt: MaybeMoment,
    devices: Type.Integer({ minimum: 0 }),
  },
  { title: "WalletState" },
);

const members = {
  id: Type.String({ ...PASS_ID, examples: [ID_EXAMPLE] }),
  passType: Type.String({ examples: ["loyalty"] }),
  status: PassStatus,
  identifiers: IdentifiersSent,
  additionalData: DataSent,
  metadata: Type.Record(Type.String(), Type.Unknown(), {
    description: "What connectors delivered.",
  }),
  providers: Type.Object({ apple: WalletState, google: WalletState }),
  creationDate: Moment,
  lastUpdateDate: Moment,
  expirationDate: MaybeMoment,
  version: Type.Integer({ minimum: 1, description: "Rises with every change." }),
};

/** As events and those who may only read see it. */
export const PassResource = Type.Object(members, { title: "PassResource" });
export type PassResource = Static<typeof PassResource>;

export const PassView = Type.Object(
  {
    ...members,
    secret: Type.Optional(
      Type.String({
        description: "The unguessable part of its public addresses. Only with `Pass.Write`.",
      }),
    ),
  },
  { title: "Pass" },
);
export type PassView = Static<typeof PassView>;

/** With what was asked for in `expand`. */
export const ExpandedPass = Type.Object(
  {
    ...PassView.properties,
    privileges: Type.Optional(
      Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        description: "With `expand=privileges`.",
      }),
    ),
    timeline: Type.Optional(
      Type.Array(Type.Object({ id: Type.String(), event: Type.String(), occurredAt: Moment }), {
        description: "With `expand=timeline`: the last hundred events, newest first.",
      }),
    ),
  },
  { title: "ExpandedPass" },
);

export const PassParams = Type.Object({
  tenantId: Type.String(),
  passId: Type.String({ description: "The pass.", examples: [ID_EXAMPLE] }),
});

export const PassCreate = Type.Object(
  {
    identifiers: Type.Optional(IdentifiersSent),
    additionalData: Type.Optional(DataSent),
    expirationDate: Type.Optional(
      Type.Union([MomentSent, Type.Null()], {
        description: "Instead of what the template says; null for never.",
      }),
    ),
  },
  { ...closed, title: "PassCreate" },
);
export type PassCreate = Static<typeof PassCreate>;

const nullable = <Schema extends typeof Value>(schema: Schema) =>
  Type.Union([schema, Type.Null()], { description: "null deletes it." });

/** What one change can change. */
export const changeMembers = {
  identifiers: Type.Optional(
    Type.Record(Type.String(), nullable(Value), {
      description: "Those sent are set, null deletes one, the others stay.",
    }),
  ),
  additionalData: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "Those sent are set, null deletes one, the others stay.",
    }),
  ),
  status: Type.Optional(Type.Enum(["active", "disabled"])),
  expirationDate: Type.Optional(
    Type.Union([MomentSent, Type.Null()], { description: "null for never." }),
  ),
};

export type PassChange = {
  readonly identifiers?: Readonly<Record<string, string | null>> | undefined;
  readonly additionalData?: Readonly<Record<string, unknown>> | undefined;
  readonly status?: "active" | "disabled" | undefined;
  readonly expirationDate?: string | null | undefined;
};

export const UpdateOptions = Type.Object(
  {
    UpdateMetadata: Type.Optional(
      Type.Boolean({ description: "Ask every configured connector again first." }),
    ),
    BypassQueue: Type.Optional(
      Type.Boolean({ description: "Do it now and answer when it is done." }),
    ),
  },
  { ...closed, title: "UpdateOptions" },
);
export type UpdateOptions = Static<typeof UpdateOptions>;

export const PassUpdate = Type.Object(
  { ...changeMembers, options: Type.Optional(UpdateOptions) },
  { ...closed, title: "PassUpdate" },
);
export type PassUpdate = Static<typeof PassUpdate>;

export type WalletName = "apple" | "google";
export type ProviderState = {
  readonly status: "none" | "installed" | "uninstalled";
  readonly installedAt: string | null;
  readonly uninstalledAt: string | null;
  readonly devices: number;
};

export type Pass = {
  readonly id: string;
  readonly passType: string;
  readonly status: PassStatus;
  readonly identifiers: Identifiers;
  readonly data: PassData;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly secret: string;
  readonly providers: Partial<Readonly<Record<WalletName, ProviderState>>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date | null;
  readonly hasOwnExpiry: boolean;
  readonly version: number;
};

const NOWHERE: ProviderState = {
  status: "none",
  installedAt: null,
  uninstalledAt: null,
  devices: 0,
};

export function presentPass(pass: Pass): PassResource {
  const { providers } = pass;
  return {
    id: pass.id,
    passType: pass.passType,
    status: pass.status,
    identifiers: { ...pass.identifiers },
    additionalData: { ...pass.data },
    metadata: { ...pass.metadata },
    providers: { apple: providers.apple ?? NOWHERE, google: providers.google ?? NOWHERE },
    creationDate: pass.createdAt.toISOString(),
    lastUpdateDate: pass.updatedAt.toISOString(),
    expirationDate: pass.expiresAt?.toISOString() ?? null,
    version: pass.version,
  };
}

/** Whoever may change a pass may also hand out its addresses. */
export function presentWithSecret(pass: Pass, mayWrite: boolean): PassView {
  return mayWrite ? { ...presentPass(pass), secret: pass.secret } : presentPass(pass);
}

/** A version of one pass is never that of another. */
export function versionOf({ id, version }: Pass): string {
  return `${id}.${version}`;
}

export const PASS_EXAMPLE: PassResource = {
  id: ID_EXAMPLE,
  passType: "loyalty",
  status: "active",
  identifiers: { "crm.id": "C-4711", "loyalty.number": "40012345" },
  additionalData: { firstName: "Camille" },
  metadata: {},
  providers: { apple: NOWHERE, google: NOWHERE },
  creationDate: "2026-01-31T09:30:00.000Z",
  lastUpdateDate: "2026-01-31T09:30:00.000Z",
  expirationDate: "2028-01-31T09:30:00.000Z",
  version: 1,
};
