import Type, { type Static } from "typebox";
import { SCOPE_NAMES, type ScopeName } from "./scope.ts";

/** `.` and `..` are not allowed, because clients remove them from an address before sending it. */
const KeyName = Type.String({
  pattern: "^(?!\\.{1,2}$)[A-Za-z0-9._-](?:[A-Za-z0-9 ._-]{0,62}[A-Za-z0-9._-])?$",
  mustBe: "1 to 64 letters, digits, spaces, '.', '_' or '-', without a space at either end",
  description:
    "Unique in the tenant: 1 to 64 letters, digits, spaces, `.`, `_` and `-`, no space at either end.",
  examples: ["till-7"],
});

const Scopes = Type.Array(Type.Enum([...SCOPE_NAMES]), {
  minItems: 1,
  uniqueItems: true,
  description: "What the key may do. Nobody can grant a scope they do not hold themselves.",
  examples: [["Pass.Read", "PassScan.Scan"]],
});

const ExpiresAt = Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
  description: "When the key stops working, in the future; null for never.",
});

export const ApiKeyParams = Type.Object({ tenantId: Type.String(), keyName: Type.String() });

export const ApiKeyCreate = Type.Object(
  { name: KeyName, scopes: Scopes, expiresAt: Type.Optional(ExpiresAt) },
  { additionalProperties: false, title: "ApiKeyCreate" },
);
export type ApiKeyCreate = Static<typeof ApiKeyCreate>;

export const ApiKeyUpdate = Type.Object(
  {
    name: Type.Optional(KeyName),
    scopes: Type.Optional(Scopes),
    expiresAt: Type.Optional(ExpiresAt),
  },
  { additionalProperties: false, minProperties: 1, title: "ApiKeyUpdate" },
);
export type ApiKeyUpdate = Static<typeof ApiKeyUpdate>;

const Time = Type.String({ format: "date-time" });
const TimeOrNull = Type.Union([Time, Type.Null()]);

export const ApiKeyView = Type.Object(
  {
    name: Type.String(),
    scopes: Type.Array(Type.String()),
    expiresAt: TimeOrNull,
    createdAt: Time,
    createdBy: Type.String({ description: "Who created it." }),
    lastUsedAt: Type.Union([Time, Type.Null()], {
      description: "Up to ten seconds behind; null for a key that was never used.",
    }),
    prefix: Type.String({ description: "The first characters of the token, to recognise it by." }),
  },
  { title: "ApiKey" },
);
export type ApiKeyView = Static<typeof ApiKeyView>;

export const ApiKeyCreated = Type.Interface(
  [ApiKeyView],
  { token: Type.String({ description: "The key itself. It is shown here and never again." }) },
  { title: "ApiKeyCreated" },
);
export type ApiKeyCreated = Static<typeof ApiKeyCreated>;

export const API_KEY_EXAMPLE: ApiKeyView = {
  name: "till-7",
  scopes: ["Pass.Read", "PassScan.Scan"],
  expiresAt: "2030-01-01T00:00:00.000Z",
  createdAt: "2026-03-02T09:30:00.000Z",
  createdBy: "ana@cafe-lune.example",
  lastUsedAt: null,
  prefix: "bf_test_4kQz",
};

export type ApiKey = {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly ScopeName[];
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly lastUsedAt: Date | null;
  readonly prefix: string;
  readonly version: number;
};

export function presentApiKey(key: ApiKey): ApiKeyView {
  return {
    name: key.name,
    scopes: [...key.scopes],
    expiresAt: key.expiresAt?.toISOString() ?? null,
    createdAt: key.createdAt.toISOString(),
    createdBy: key.createdBy,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    prefix: key.prefix,
  };
}

/** Contains the id, because a deleted key and a later key may have the same name. */
export function versionOf(key: ApiKey): string {
  return `${key.id}.${key.version}`;
}
