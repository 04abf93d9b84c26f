import { hash } from "node:crypto";
import Type, { type Static } from "typebox";
import { parseTimestamp } from "#kernel/http/lists/list-values.ts";
import { mergeMembers } from "#kernel/json.ts";
import { presenter, type ShownMembers } from "#kernel/members.ts";
import { IDENTIFIER_LENGTH_MAX, type Identifiers } from "#src/customers/public.ts";
import type { PassData } from "./pass.rules.ts";

/** The id of a pass in requests and answers. */
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
/**
 * A time in a request. The format alone would allow leap seconds and years that cannot be stored.
 */
export const MomentSent = Type.Refine(
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

/** A pass as events and callers with read access see it. */
export const PassResource = Type.Object(members, { title: "PassResource" });
export type PassResource = Static<typeof PassResource>;

/** Addresses for the holder of a pass. They need no credential, because they contain the secret. */
export const PassLinks = Type.Object(
  {
    landing: Type.String({
      format: "uri",
      description:
        "A page that offers the wallet that fits the device it is opened on. This is the one to send.",
    }),
    apple: Type.String({ format: "uri", description: "The pass itself, for Apple Wallet." }),
    google: Type.String({ format: "uri", description: "Leads to Google Wallet, which adds it." }),
  },
  {
    title: "PassLinks",
    description:
      "Addresses to give to the holder; whoever has one can add the pass. Only with `Pass.Write`.",
  },
);
export type PassLinks = Static<typeof PassLinks>;

export const PassView = Type.Object(
  {
    ...members,
    secret: Type.Optional(
      Type.String({
        description: "The unguessable part of its public addresses. Only with `Pass.Write`.",
      }),
    ),
    links: Type.Optional(PassLinks),
  },
  { title: "Pass" },
);
export type PassView = Static<typeof PassView>;

/** A pass with the data that were requested by `expand`. */
export const ExpandedPass = Type.Object(
  {
    ...PassView.properties,
    privileges: Type.Optional(
      Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        description: "With `expand=privileges`.",
      }),
    ),
    scans: Type.Optional(
      Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        description: "With `expand=scans`: the last hundred scans, newest first.",
      }),
    ),
    receipts: Type.Optional(
      Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        description:
          "With `expand=receipts`: the last hundred receipts without their lines, newest first.",
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

/** What modules above create a pass from: callers of the API cannot set metadata. */
export type PassMaking = PassCreate & { readonly metadata?: Readonly<Record<string, unknown>> };

const nullable = <Schema extends typeof Value>(schema: Schema) =>
  Type.Union([schema, Type.Null()], { description: "null deletes it." });

/** The members that a change can set. */
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

type ChangeSent = Static<Type.TObject<typeof changeMembers>>;
export type PassChange = {
  readonly [Name in keyof ChangeSent]?: Readonly<ChangeSent[Name]> | undefined;
};
/** A change together with the answers of metadata sources. */
export type FullChange = PassChange & { readonly metadata?: Readonly<Record<string, unknown>> };

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

/** The members that callers and metadata sources set. */
export type PassContents = {
  readonly identifiers: Identifiers;
  readonly data: PassData;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly expiresAt: Date | null;
  readonly hasOwnExpiry: boolean;
};

export type Pass = PassContents & {
  readonly id: string;
  readonly passType: string;
  readonly status: PassStatus;
  readonly secret: string;
  readonly providers: Partial<Readonly<Record<WalletName, ProviderState>>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
};

const NOWHERE: ProviderState = {
  status: "none",
  installedAt: null,
  uninstalledAt: null,
  devices: 0,
};

/**
 * All members of a pass, in the order in which they are shown. CONTRIBUTING.md says how to add one.
 */
export const PASS_MEMBERS = {
  id: { column: "id", type: "text", written: "insert", shownAs: "id" },
  passType: { column: "pass_type", type: "text", written: "insert", shownAs: "passType" },
  status: { column: "status", type: "text", written: "always", shownAs: "status" },
  identifiers: { column: "identifiers", type: "jsonb", written: "always", shownAs: "identifiers" },
  data: { column: "data", type: "jsonb", written: "always", shownAs: "additionalData" },
  metadata: { column: "metadata", type: "jsonb", written: "always", shownAs: "metadata" },
  secret: { column: "secret", type: "text", written: "insert", shownAs: null },
  providers: {
    column: "providers",
    type: "jsonb",
    // Written by the wallets, in statements of their own.
    written: "never",
    shownAs: "providers",
    show: ({ apple = NOWHERE, google = NOWHERE }: Pass["providers"]) => ({ apple, google }),
  },
  createdAt: {
    column: "created_at",
    type: "timestamptz",
    written: "insert",
    shownAs: "creationDate",
  },
  // An update also considers the time in the database row: see `updatePasses`.
  updatedAt: {
    column: "updated_at",
    type: "timestamptz",
    written: "insert",
    shownAs: "lastUpdateDate",
  },
  expiresAt: {
    column: "expires_at",
    type: "timestamptz",
    written: "always",
    shownAs: "expirationDate",
  },
  hasOwnExpiry: { column: "has_own_expiry", type: "boolean", written: "always", shownAs: null },
  // A new pass gets version 1, the default of the column.
  version: { column: "version", type: "integer", written: "update", shownAs: "version" },
} as const satisfies ShownMembers<Pass, PassResource>;

export const presentPass = presenter<Pass, PassResource, typeof PASS_MEMBERS>(PASS_MEMBERS);

/** The contents of a new pass, from the request. */
export function contentsOf({
  identifiers,
  additionalData,
  metadata,
  expirationDate,
}: PassMaking): PassContents {
  return {
    identifiers: identifiers ?? {},
    data: additionalData ?? {},
    metadata: metadata ?? {},
    expiresAt: momentOf(expirationDate),
    hasOwnExpiry: expirationDate !== undefined,
  };
}

/**
 * The contents of a pass after a change. Every member is named, instead of copying the known
 * contents: if a new member is forgotten here, this does not compile.
 */
export function mergeContents(known: PassContents, change: FullChange): PassContents {
  const { expirationDate } = change;
  const hasExpiry = expirationDate !== undefined;
  return {
    identifiers: mergeMembers(known.identifiers, change.identifiers),
    data: mergeMembers(known.data, change.additionalData),
    metadata: mergeMembers(known.metadata, change.metadata),
    expiresAt: hasExpiry ? momentOf(expirationDate) : known.expiresAt,
    hasOwnExpiry: hasExpiry || known.hasOwnExpiry,
  };
}

function momentOf(sent: string | null | undefined): Date | null {
  return sent == null ? null : new Date(sent);
}

/**
 * The public addresses of a pass, below the public address of its tenant. Lists make them for five
 * hundred passes at once, so they are only joined: ids and secrets have no character to encode.
 */
export function linksOf(address: string, tenantId: string, pass: PublicPass): PassLinks {
  const landing = `${address}/p/${tenantId}/${pass.id}.${pass.secret}`;
  return { landing, apple: `${landing}/pass.pkpass`, google: `${landing}/google` };
}
type PublicPass = Pick<Pass, "id" | "secret">;

/** For callers that may change the pass: they may also give out its links. */
export function presentWithLinks(pass: Pass, address: string, tenantId: string): PassView {
  return {
    ...presentPass(pass),
    secret: pass.secret,
    links: linksOf(address, tenantId, pass),
  };
}

/**
 * Contains the id, so that versions of two passes are never equal, and the state of the wallets,
 * which changes without a new version of the pass.
 */
export function versionOf({ id, version, providers }: Pass): string {
  const wallets = Object.values(providers);
  if (wallets.length === 0) return `${id}.${version}`;
  const state = hash("sha256", JSON.stringify(wallets), "base64url").slice(0, WALLETS_LENGTH);
  return `${id}.${version}.${state}`;
}
const WALLETS_LENGTH = 10;

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

const SECRET_EXAMPLE = "x".repeat(24);

/** The example as callers with `Pass.Write` see it. */
export const WRITABLE_PASS_EXAMPLE: PassView = {
  ...PASS_EXAMPLE,
  secret: SECRET_EXAMPLE,
  links: linksOf("https://passes.example", "cafe-lune", { id: ID_EXAMPLE, secret: SECRET_EXAMPLE }),
};
