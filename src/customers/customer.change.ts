import { parseTimestamp } from "#kernel/http/list-values.ts";
import {
  FIELDS_REPORTED_MAX,
  type FieldErrors,
  noErrors,
  shortName,
} from "#kernel/http/validation.ts";
import { isSameJson, mergeMembers } from "#kernel/json.ts";
import {
  type Consent,
  type CustomerFields,
  type CustomerUpdate,
  TEXT_NAMES,
} from "./customer.schema.ts";
import { addIdentifierErrors } from "./identifier.rules.ts";

const CONSENTS_MAX = 50;
const CONSENT_NAME = /^[\w.-]{1,64}$/;

export const NOBODY: CustomerFields = {
  identifiers: {},
  email: null,
  phone: null,
  firstName: null,
  lastName: null,
  locale: null,
  consents: {},
};

export type ChangeResult =
  | { readonly ok: true; readonly fields: CustomerFields }
  | { readonly ok: false; readonly errors: FieldErrors };

/** What is known of a customer after a change: what is not sent stays, null deletes. */
export function applyChange(known: CustomerFields, sent: CustomerUpdate): ChangeResult {
  const errors = noErrors();
  const merged: Record<string, unknown> = {
    identifiers: mergeMembers(known.identifiers, sent.identifiers),
    consents: mergeMembers(known.consents, readConsents(sent.consents, errors)),
  };
  for (const name of TEXT_NAMES) merged[name] = sent[name] === undefined ? known[name] : sent[name];
  if (typeof sent.locale === "string") merged.locale = readLocale(sent.locale, errors);
  const fields = merged as CustomerFields;
  addIdentifierErrors(errors, fields.identifiers);
  if (Object.keys(fields.consents).length > CONSENTS_MAX) {
    errors.consents = [`must not have more than ${CONSENTS_MAX} members`];
  }
  return Object.keys(errors).length === 0 ? { ok: true, fields } : { ok: false, errors };
}

export function isUnchanged(known: CustomerFields, fields: CustomerFields): boolean {
  return (Object.keys(NOBODY) as (keyof CustomerFields)[]).every((name) =>
    isSameJson(known[name], fields[name]),
  );
}

type SentConsents = CustomerUpdate["consents"];

function readConsents(sent: SentConsents, errors: FieldErrors): SentConsents {
  if (sent === undefined) return undefined;
  const read = Object.entries(sent).map(([name, consent]) => {
    if (!CONSENT_NAME.test(name) && Object.keys(errors).length < FIELDS_REPORTED_MAX) {
      errors[`consents.${shortName(name)}`] = ["must be named by letters, digits and . _ - alone"];
    }
    return [name, consent === null ? null : readConsent(name, consent, errors)] as const;
  });
  return Object.fromEntries(read);
}

function readConsent(name: string, consent: Consent, errors: FieldErrors): Consent {
  const at = parseTimestamp(consent.at.toUpperCase());
  if (at === undefined) {
    errors[`consents.${shortName(name)}.at`] = ["must be an ISO 8601 time that exists"];
    return consent;
  }
  return { ...consent, at: new Date(at).toISOString() };
}

function readLocale(locale: string, errors: FieldErrors): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? locale;
  } catch {
    errors.locale = ["must be a BCP 47 tag, such as fr or fr-CH"];
    return locale;
  }
}
