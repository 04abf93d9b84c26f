import Type, { type Static } from "typebox";

const Language = Type.String({ pattern: "^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$" });

/** A host name as browsers send it: lower case, without port, with at least one dot. */
const Domain = Type.String({
  pattern: "^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$",
});

const RateLimit = Type.Object(
  {
    limit: Type.Integer({ minimum: 1, maximum: 10_000_000 }),
    windowSeconds: Type.Integer({ minimum: 1, maximum: 86_400 }),
  },
  { additionalProperties: false },
);

const Sftp = Type.Object(
  {
    enabled: Type.Boolean(),
    keys: Type.Optional(
      Type.Array(Type.String({ pattern: "^(ssh-ed25519|ssh-rsa|ecdsa-sha2-\\S+) \\S+( .*)?$" }), {
        maxItems: 20,
      }),
    ),
  },
  { additionalProperties: false },
);

const RetentionDays = Type.Integer({ minimum: 1, maximum: 3_650 });

/** `tenant.yml`: what the service itself needs to know of a tenant. */
export const TenantSettings = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    defaultLocale: Type.Optional(Language),
    timeZone: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    customDomain: Type.Optional(Domain),
    /** By operation, or `default` for all that are not named. */
    rateLimits: Type.Optional(
      Type.Record(Type.String({ pattern: "^(default|[a-z-]+\\.[a-z-]+)$" }), RateLimit),
    ),
    sftp: Type.Optional(Sftp),
    retention: Type.Optional(
      Type.Object(
        {
          eventDays: Type.Optional(RetentionDays),
          deliveryDays: Type.Optional(RetentionDays),
          scanDays: Type.Optional(RetentionDays),
          auditDays: Type.Optional(RetentionDays),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false, title: "TenantSettings" },
);
export type TenantSettings = Static<typeof TenantSettings>;

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
