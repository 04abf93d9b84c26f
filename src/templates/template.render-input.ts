type Values = Readonly<Record<string, unknown>>;

export type PassFacts = Values & {
  readonly id: string;
  /** ISO 8601. `expiration.after` counts from this date. */
  readonly creationDate?: string;
  /** A date that is set on the pass wins over the expiration date of the template. */
  readonly expirationDate?: string | null;
};

export type TenantFacts = Values & { readonly name: string; readonly timeZone: string };

export type RenderInput = {
  readonly pass: PassFacts;
  readonly identifiers: Values;
  readonly data: Values;
  readonly metadata: Values;
  /** The key is the id of the privilege. */
  readonly privileges: Values;
  readonly tenant: TenantFacts;
  /** The locale of the holder. Without it, the default locale of the tenant is used. */
  readonly locale?: string | undefined;
};

/** For what all passes of a type have in common: there is no pass to read. */
export function commonInput(tenant: TenantFacts): RenderInput {
  const nothing = { identifiers: {}, data: {}, metadata: {}, privileges: {} };
  return { pass: { id: "class" }, ...nothing, tenant };
}
