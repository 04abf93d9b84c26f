import Type, { type Static } from "typebox";

const closed = { additionalProperties: false } as const;
const text = (maxLength = 200) => Type.String({ minLength: 1, maxLength });

export const CHECKS = ["turnstile", "hcaptcha", "recaptcha-v2", "recaptcha-v3"] as const;
export type Check = (typeof CHECKS)[number];

export const SiteCreate = Type.Object(
  {
    check: Type.Enum([...CHECKS]),
    siteKey: Type.Optional(text()),
    secret: Type.Optional(text()),
    /** Where its pages are; tokens carry it. */
    hostname: Type.Optional(text(253)),
  },
  closed,
);
export type SiteCreate = Static<typeof SiteCreate>;

export const TokenCreate = Type.Object(
  {
    siteKey: text(),
    hostname: Type.Optional(text(253)),
    /** Turnstile and reCAPTCHA v3. */
    action: Type.Optional(Type.String({ maxLength: 100 })),
    /** reCAPTCHA v3: 0 is a robot, 1 a person. */
    score: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    cdata: Type.Optional(Type.String({ maxLength: 255 })),
    /** Whether the visitor solved it; if not, the token is refused. */
    solved: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type TokenCreate = Static<typeof TokenCreate>;
