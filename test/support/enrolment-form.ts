import { PASS_FILES } from "./pass-tenant.ts";
import type { TestApi } from "./start-api.ts";

/** Tenants whose passes people get by a public form, in two languages. */

const GERMAN = `Member: Mitglied
Card of the Harbour Club: Karte des Harbour Club
`;

export const FORM_SETTINGS = `passTypes:
  loyalty:
    title: { en: Come aboard, de: Komm an Bord }
    description: { en: A point for every mile., de: Ein Punkt für jede Meile. }
    fields:
      - { member: firstName }
      - { member: lastName }
      - { member: email, required: true }
      - { member: phone }
      - { member: tier, label: { en: Your deck, de: Dein Deck } }
      - { member: points, label: Miles so far }
    consents:
      - id: terms
        required: true
        text: { en: I agree to the rules., de: Ich bin mit den Regeln einverstanden. }
        url: https://harbour.example/rules
      - { id: news, text: { en: Write to me., de: Schreibt mir. } }
    identifiers: { loyalty.number: { digits: 10, prefix: "40" } }
  coupon:
    fields: [ { member: offer } ]
    data: { validUntil: "2099-01-01" }
`;

const STORES = `stores:
  - { id: pier, name: Pier, location: { latitude: 54.1, longitude: 7.9 } }
`;

export const FORM_FILES: Readonly<Record<string, string | { base64: string }>> = {
  ...PASS_FILES,
  "locales/de.yml": GERMAN,
  "server/enrolment.yml": FORM_SETTINGS,
  "server/stores.yml": STORES,
};

export async function seedFormTenant(
  api: Pick<TestApi, "put" | "operatorKey">,
  tenantId: string,
  more: Readonly<Record<string, string | { base64: string }>> = {},
): Promise<void> {
  const files = { "tenant.yml": `name: ${tenantId}\n`, ...FORM_FILES, ...more };
  const { status, text } = await api.put(`/api/tenants/${tenantId}`, {
    key: api.operatorKey,
    body: { files },
  });
  if (status > 201) throw new Error(`Tenant not seeded: ${text}`);
}

/** As a person fills the form of `loyalty` in. */
export const FILLED: Readonly<Record<string, string>> = {
  "answer.firstName": "Ada",
  "answer.email": "ada@harbour.example",
  "consent.terms": "yes",
};

type Sending = Pick<TestApi, "post">;

/** Sends a form as a browser without script does. */
export function sendForm(
  api: Sending,
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
) {
  return api.post(path, {
    rawBody: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });
}
