import { ApiProblem, isProblem } from "../api/problem.ts";
import { settings } from "../settings.ts";

/*
 * The doors of the simulator, which the product has in staging. They need no key, and phones stand
 * there for everybody: so each tenant has a pair of its own here, known by the name of the phone.
 */

const API = `${settings.baseUrl}/simulator/api`;
const TIMEOUT_MS = 30_000;
const NAME_CHARS_MAX = 60;

export type CardField = {
  readonly key: string;
  readonly label: string;
  readonly value: string;
  readonly spans?: readonly { readonly text: string; readonly href?: string }[];
  readonly align?: "left" | "center" | "right";
};

/** A pass as a phone draws it, the same for both wallets. */
export type Card = {
  readonly key: string;
  readonly wallet: "apple" | "google";
  readonly kind: string;
  readonly id: string;
  readonly organization: string;
  readonly description: string;
  readonly logoText: string;
  readonly colors: {
    readonly background: string;
    readonly foreground: string;
    readonly label: string;
  };
  readonly images: Readonly<Record<string, string>>;
  readonly header: readonly CardField[];
  readonly primary: readonly CardField[];
  readonly secondary: readonly CardField[];
  readonly auxiliary: readonly CardField[];
  readonly rows: readonly (readonly CardField[])[];
  readonly back: readonly CardField[];
  readonly barcode?: { readonly format: string; readonly message: string; readonly text: string };
  readonly status: "active" | "voided" | "expired" | "completed" | "inactive";
  readonly vouchedBy: string;
  readonly updatedAt: string;
};

export type Notice = {
  readonly id: string;
  readonly at: string;
  readonly title: string;
  readonly text: string;
  readonly passKey: string;
};

export type PhoneKind = "iphone" | "android";
export const PHONE_KINDS: readonly PhoneKind[] = ["iphone", "android"];

export type Phone = {
  readonly id: string;
  readonly kind: PhoneKind;
  readonly name: string;
  readonly cards: readonly Card[];
  readonly notices: readonly Notice[];
  readonly deeds: readonly {
    readonly at: string;
    readonly text: string;
    readonly isProblem: boolean;
  }[];
};

async function call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${API}${path}`, {
    method,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  const value: unknown = isJson ? JSON.parse(text) : undefined;
  if (!response.ok) throw new ApiProblem(response, value);
  return value as Answer;
}

const nameOf = (tenantId: string): string => tenantId.slice(0, NAME_CHARS_MAX);

/** The phones that were found or are being made, by tenant: never two pairs of one tenant. */
const pairs = new Map<string, Promise<readonly string[]>>();

/** The two phones of a tenant. They are made when somebody first looks at them. */
export async function loadPhones(tenantId: string, language: string): Promise<readonly Phone[]> {
  let pair = pairs.get(tenantId);
  if (pair === undefined) {
    pair = findOrMake(tenantId, language);
    pairs.set(tenantId, pair);
  }
  try {
    return await Promise.all((await pair).map((id) => call<Phone>("GET", `/phones/${id}`)));
  } catch (error) {
    pairs.delete(tenantId);
    // Somebody has reset the simulator meanwhile: there are new phones then.
    if (isProblem(error, "simulator.phone-not-found")) return await loadPhones(tenantId, language);
    throw error;
  }
}

async function findOrMake(tenantId: string, language: string): Promise<readonly string[]> {
  const { phones } = await call<{ phones: readonly Phone[] }>("GET", "/phones");
  const own = phones.filter(({ name }) => name === nameOf(tenantId));
  return await Promise.all(
    PHONE_KINDS.map(async (kind) => {
      const found = own.find((phone) => phone.kind === kind);
      const body = { kind, name: nameOf(tenantId), language };
      return (found ?? (await call<Phone>("POST", "/phones", body))).id;
    }),
  );
}

export const installPass = (phoneId: string, url: string): Promise<{ keys: readonly string[] }> =>
  call("POST", `/phones/${phoneId}/passes`, { url });

export const removePass = (phoneId: string, key: string): Promise<unknown> =>
  call("DELETE", `/phones/${phoneId}/passes/${key}`);

export const clearNotices = (phoneId: string): Promise<unknown> =>
  call("DELETE", `/phones/${phoneId}/notices`);

export const CHANGES_URL = `${API}/changes`;

/** The id of the pass at the API. At Google, the number of the issuer stands before it. */
export const passIdOf = ({ wallet, id }: Card): string =>
  wallet === "google" ? id.slice(id.indexOf(".") + 1) : id;

/** Pictures of other hosts are left out: the console asks nobody else for anything. */
export function pictureOf({ images }: Card, name: string): string | undefined {
  const url = images[name];
  if (url === undefined) return undefined;
  const absolute = new URL(url, `${settings.baseUrl}/`);
  return absolute.origin === new URL(settings.baseUrl).origin ? absolute.href : undefined;
}

export const barcodeOf = (phoneId: string, { key, updatedAt }: Card): string =>
  `${API}/phones/${phoneId}/passes/${key}/barcode.svg?v=${encodeURIComponent(updatedAt)}`;

const fieldsOf = ({ header, primary, secondary, auxiliary, rows, back }: Card) =>
  [header, primary, secondary, auxiliary, rows.flat(), back].flat();

/** The keys of fields that read otherwise than before. */
export function changedKeys(before: Card | undefined, after: Card): ReadonlySet<string> {
  if (before === undefined) return new Set();
  const known = new Map(fieldsOf(before).map(({ key, value }) => [key, value]));
  const changed = fieldsOf(after).filter(({ key, value }) => known.get(key) !== value);
  return new Set(changed.map(({ key }) => key));
}
