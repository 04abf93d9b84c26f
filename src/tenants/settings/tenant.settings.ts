import Type, { type Static } from "typebox";

const Language = Type.String({
  pattern: "^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$",
  hint: "Use a language tag, such as de or pt-BR.",
  description: "The language in which the templates are written.",
  default: "en",
  examples: ["en"],
});

/** A host name as browsers send it: lower case, without port, with at least one dot. */
const Domain = Type.String({
  pattern: "^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$",
  hint: "Use a host name in small letters, without https:// and port.",
  description: "A domain of yours that serves this tenant and nothing else.",
  examples: ["passes.cafe-lune.example"],
});

const RateLimit = Type.Object(
  {
    limit: Type.Integer({
      minimum: 1,
      maximum: 10_000_000,
      description: "How many requests of one credential are let through.",
      examples: [600],
    }),
    windowSeconds: Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: "The time within which they are counted.",
      examples: [60],
    }),
  },
  { additionalProperties: false, title: "RateLimit" },
);

const Sftp = Type.Object(
  {
    enabled: Type.Boolean({
      description: "Whether files may be dropped.",
      examples: [true],
    }),
    keys: Type.Optional(
      Type.Array(
        Type.String({
          pattern: "^(ssh-ed25519|ssh-rsa|ecdsa-sha2-\\S+) \\S+( .*)?$",
          hint: "Use a line of a public key file, as in ~/.ssh/id_ed25519.pub.",
        }),
        {
          maxItems: 20,
          description: "Public keys that may sign in, beside the password in `SFTP-PASSWORD`.",
          examples: [["ssh-ed25519 AAAAC3Nz… till@cafe-lune"]],
        },
      ),
    ),
  },
  {
    additionalProperties: false,
    description: "The file drop.",
    examples: [{ enabled: true }],
  },
);

/** Without a default, the rows are kept for ever. */
const retentionDays = (description: string, fallback?: number) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3_650,
      description,
      ...(fallback === undefined ? {} : { default: fallback }),
      examples: [90],
    }),
  );

/** The contents of `tenant.yml`: what the service itself needs to know about a tenant. */
export const TenantSettings = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "What people call the tenant; templates read it as `tenant.name`.",
      examples: ["Café Lune"],
    }),
    defaultLocale: Type.Optional(Language),
    timeZone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        default: "UTC",
        description: "In which times without an offset are meant, by its IANA name.",
        examples: ["Europe/Paris"],
      }),
    ),
    customDomain: Type.Optional(Domain),
    rateLimits: Type.Optional(
      Type.Record(Type.String({ pattern: "^(default|[a-z-]+\\.[a-z-]+)$" }), RateLimit, {
        description:
          "By operation (the `operationId` of the API reference), or `default` for all that are not named.",
        examples: [{ "pass.create": { limit: 600, windowSeconds: 60 } }],
      }),
    ),
    sftp: Type.Optional(Sftp),
    gates: Type.Optional(
      Type.Object(
        {
          listHours: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 72,
              default: 12,
              description: "How long scanners may decide by a list that they fetched before.",
              examples: [6],
            }),
          ),
        },
        {
          additionalProperties: false,
          description: "Scanning without a network.",
          examples: [{ listHours: 6 }],
        },
      ),
    ),
    retention: Type.Optional(
      Type.Object(
        {
          eventDays: retentionDays("How long events are kept.", 30),
          deliveryDays: retentionDays("How long deliveries are kept after their last attempt.", 30),
          executionDays: retentionDays("How long executions of scheduled tasks are kept.", 30),
          scanDays: retentionDays("How long scans are kept."),
          importDays: retentionDays("How long imports and their logs are kept.", 90),
          inboxDays: Type.Optional(
            Type.Integer({
              // Vendors repeat a delivery for up to a week: until then it must be known.
              minimum: 7,
              maximum: 3_650,
              default: 14,
              description:
                "How long deliveries of connected vendors are kept after they were done.",
              examples: [30],
            }),
          ),
          receiptDays: retentionDays("How long receipts are kept after the purchase.", 3_650),
          auditDays: retentionDays("How long the audit trail is kept."),
        },
        {
          additionalProperties: false,
          description: "How long things are kept, in days.",
          examples: [{ eventDays: 90 }],
        },
      ),
    ),
  },
  { additionalProperties: false, title: "TenantSettings" },
);
export type TenantSettings = Static<typeof TenantSettings>;
