import { parseTimestamp } from "#kernel/http/lists/list-values.ts";
import {
  FIELDS_REPORTED_MAX,
  type FieldErrors,
  noErrors,
  shortName,
} from "#kernel/http/validation.ts";
import { canonicalLocale } from "#kernel/intl.ts";
import { mergeMembers } from "#kernel/json.ts";
import { difference } from "#kernel/members.ts";
import {
  type Consent,
  CUSTOMER_MEMBERS,
  type Customer,
  type CustomerFields,
  type CustomerUpdate,
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

/** Returns the fields after a change: members that are not sent stay, and null deletes. */
export function applyChange(known: CustomerFields, sent: CustomerUpdate): ChangeResult {
  const errors = noErrors();
  // Every member is listed, so that a new member without a rule here does not compile.
  const fields: CustomerFields = {
    identifiers: mergeMembers(known.identifiers, sent.identifiers),
    consents: mergeMembers(known.consents, readConsents(sent.consents, errors)),
    email: sentOr(known.email, sent.email),
    phone: sentOr(known.phone, sent.phone),
    firstName: sentOr(known.firstName, sent.firstName),
    lastName: sentOr(known.lastName, sent.lastName),
    locale: sentOr(known.locale, readLocale(sent.locale, errors)),
  };
  addIdentifierErrors(errors, fields.identifiers);
  if (Object.keys(fields.consents).length > CONSENTS_MAX) {
    errors.consents = [`must not have more than ${CONSENTS_MAX} members`];
  }
  return Object.keys(errors).length === 0 ? { ok: true, fields } : { ok: false, errors };
}

const differ = difference<Customer, typeof CUSTOMER_MEMBERS>(CUSTOMER_MEMBERS);

export function isUnchanged(known: CustomerFields, fields: CustomerFields): boolean {
  return !differ(known, fields);
}

function sentOr(known: string | null, sent: string | null | undefined): string | null {
  return sent === undefined ? known : sent;
}

type SentConsents = CustomerUpdate["consents"];
type SentLocale = CustomerUpdate["locale"];

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

function readLocale(locale: SentLocale, errors: FieldErrors): SentLocale {
  if (typeof locale !== "string") return locale;
  const known = canonicalLocale(locale);
  if (known === undefined) errors.locale = ["must be a BCP 47 tag, such as fr or fr-CH"];
  return known ?? locale;
}
