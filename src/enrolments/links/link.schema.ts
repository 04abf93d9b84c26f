import Type, { type Static } from "typebox";
import { presenter, type ShownMembers } from "#kernel/members.ts";

const CODE_EXAMPLE = "marais-door";
const PASS_TYPE_LENGTH_MAX = 64;
const SOURCE_LENGTH_MAX = 100;
const closed = { additionalProperties: false } as const;

/** Codes stand in printed addresses, so they never change. */
export const CODE = {
  pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{2,63}$",
  mustBe: "3 to 64 letters, digits, '_' and '-'",
};

const CODE_SHAPE = new RegExp(CODE.pattern);

/** For what visitors send: no other text can be the code of a link, and some cannot be looked up. */
export function isCode(text: string): boolean {
  return CODE_SHAPE.test(text);
}

const Moment = Type.String({ format: "date-time" });
const PassTypeName = Type.String({
  minLength: 1,
  maxLength: PASS_TYPE_LENGTH_MAX,
  description:
    "The passes that are got by it. The type must have a form in `server/enrolment.yml`.",
  examples: ["loyalty"],
});
const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const LinkParams = Type.Object({
  tenantId: Type.String(),
  code: Type.String({ description: "The code of the link.", examples: [CODE_EXAMPLE] }),
});

export const LinkView = Type.Object(
  {
    code: Type.String({ description: "The last part of its address. Never changes." }),
    passType: PassTypeName,
    storeId: Type.Union([Type.String(), Type.Null()], { description: "The store it hangs in." }),
    source: Type.Union([Type.String(), Type.Null()], {
      description: "A campaign or place, in words of yours.",
    }),
    enabled: Type.Boolean({ description: "False: it leads nowhere, as if it did not exist." }),
    url: Type.String({ format: "uri", description: "What to print or send." }),
    visits: Count("How often it was opened."),
    enrolments: Count("How many people got a pass by it."),
    createdAt: Moment,
    updatedAt: Moment,
    version: Type.Integer({
      minimum: 1,
      description: "Rises with every change; the counts alone do not move it.",
    }),
  },
  { title: "EnrolmentLink" },
);
export type LinkView = Static<typeof LinkView>;

const maybe = <Schema extends Type.TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

const sent = {
  passType: PassTypeName,
  storeId: maybe(
    Type.String({ minLength: 1, maxLength: 64, description: "A store of `server/stores.yml`." }),
  ),
  source: maybe(
    Type.String({
      minLength: 1,
      maxLength: SOURCE_LENGTH_MAX,
      pattern: "^[^\\p{Cc}]*$",
      mustBe: "one line of text",
      description: "A campaign or place, in words of yours.",
      examples: ["Poster at the door"],
    }),
  ),
  enabled: Type.Optional(Type.Boolean({ description: "True if it is left out." })),
};

export const LinkCreate = Type.Object(
  {
    code: Type.Optional(
      Type.String({ ...CODE, description: "Default: eight random letters and digits." }),
    ),
    ...sent,
  },
  { ...closed, title: "EnrolmentLinkCreate" },
);
export type LinkCreate = Static<typeof LinkCreate>;

export const LinkUpdate = Type.Object(sent, { ...closed, title: "EnrolmentLinkUpdate" });
export type LinkUpdate = Static<typeof LinkUpdate>;

export type LinkFields = {
  readonly passType: string;
  readonly storeId: string | null;
  readonly source: string | null;
  readonly enabled: boolean;
};

export type Link = LinkFields & {
  /** The code. */
  readonly id: string;
  readonly visits: number;
  readonly enrolments: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
};

type StoredView = Omit<LinkView, "url">;

/** All members of a link, in the order shown. CONTRIBUTING.md explains how to add one. */
export const LINK_MEMBERS = {
  id: { column: "code", type: "text", written: "insert", shownAs: "code" },
  passType: { column: "pass_type", type: "text", written: "always", shownAs: "passType" },
  storeId: { column: "store_id", type: "text", written: "always", shownAs: "storeId" },
  source: { column: "source", type: "text", written: "always", shownAs: "source" },
  enabled: { column: "enabled", type: "boolean", written: "always", shownAs: "enabled" },
  // Counted by statements of their own.
  visits: { column: "visits", type: "integer", written: "never", shownAs: "visits" },
  enrolments: { column: "enrolments", type: "integer", written: "never", shownAs: "enrolments" },
  createdAt: { column: "created_at", type: "timestamptz", written: "insert", shownAs: "createdAt" },
  // Every change sets the time and the version itself.
  updatedAt: { column: "updated_at", type: "timestamptz", written: "insert", shownAs: "updatedAt" },
  version: { column: "version", type: "integer", written: "never", shownAs: "version" },
} as const satisfies ShownMembers<Link, StoredView>;

const presentStored = presenter<Link, StoredView, typeof LINK_MEMBERS>(LINK_MEMBERS);

/** `address` is the public address of the tenant. */
export function presentLink(link: Link, address: string, tenantId: string): LinkView {
  return { ...presentStored(link), url: linkUrl(address, tenantId, link.id) };
}

export function linkUrl(address: string, tenantId: string, code: string): string {
  return `${address}/r/${tenantId}/${code}`;
}

export function fieldsOf({ passType, storeId, source, enabled }: LinkUpdate): LinkFields {
  return {
    passType,
    storeId: storeId ?? null,
    source: source ?? null,
    enabled: enabled ?? true,
  };
}

/** Contains the code, so that two links never have the same version. */
export function versionOf({ id, version }: Link): string {
  return `${id}.${version}`;
}

export const LINK_EXAMPLE: LinkView = {
  code: CODE_EXAMPLE,
  passType: "loyalty",
  storeId: "marais",
  source: "Poster at the door",
  enabled: true,
  url: `https://passes.example.com/r/cafe-lune/${CODE_EXAMPLE}`,
  visits: 412,
  enrolments: 97,
  createdAt: "2026-03-02T09:30:00.000Z",
  updatedAt: "2026-03-02T09:30:00.000Z",
  version: 1,
};
