import Type, { type Static } from "typebox";

export const VALUE_BYTES_MAX = 64 * 1024;

const Key = Type.String({
  pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$",
  mustBe: "1 to 128 letters, digits, '.', '_' or '-', a letter or digit first",
  description:
    "Unique in the tenant: 1 to 128 letters, digits, `.`, `_` and `-`, a letter or digit first.",
  examples: ["CDP-APIKEYSECRET"],
});

const Value = Type.String({
  minLength: 1,
  maxLength: VALUE_BYTES_MAX,
  description: "1 byte to 64 KiB in UTF-8.",
});

const UpdatedAt = Type.String({ format: "date-time" });

export const SecretParams = Type.Object({ tenantId: Type.String(), key: Key });

export const SecretPut = Type.Object(
  { value: Value },
  { additionalProperties: false, title: "SecretPut" },
);
export type SecretPut = Static<typeof SecretPut>;

export const SecretEntry = Type.Object(
  { key: Key, updatedAt: UpdatedAt },
  { title: "SecretEntry" },
);
export type SecretEntry = Static<typeof SecretEntry>;

export const SecretView = Type.Object(
  { key: Key, value: Value, updatedAt: UpdatedAt },
  { title: "Secret" },
);
export type SecretView = Static<typeof SecretView>;

export const SECRET_EXAMPLE: SecretView = {
  key: "CDP-APIKEYSECRET",
  value: "correct horse battery staple",
  updatedAt: "2026-03-02T09:30:00.000Z",
};

/** What is shown of a secret without opening it. */
export type Secret = {
  readonly id: string;
  readonly key: string;
  readonly version: number;
  readonly updatedAt: Date;
};

export function presentSecret({ key, updatedAt }: Secret): SecretEntry {
  return { key, updatedAt: updatedAt.toISOString() };
}

/** Contains the id, because a deleted secret and a later secret may have the same key. */
export function versionOf(secret: Secret): string {
  return `${secret.id}.${secret.version}`;
}
