type Values = Readonly<Record<string, unknown>>;

export type PassFacts = Values & {
  readonly id: string;
  /** ISO 8601; what `expiration.after` counts from. */
  readonly creationDate?: string;
  /** Set on the pass itself, it wins over that of the template. */
  readonly expirationDate?: string | null;
};

export type TenantFacts = Values & { readonly name: string; readonly timeZone: string };

export type RenderInput = {
  readonly pass: PassFacts;
  readonly identifiers: Values;
  readonly data: Values;
  readonly metadata: Values;
  /** By id. */
  readonly privileges: Values;
  readonly tenant: TenantFacts;
  /** Of the holder; the tenant's where there is none. */
  readonly locale?: string | undefined;
};
