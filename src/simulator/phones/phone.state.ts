import { createHash, randomBytes, randomUUID } from "node:crypto";

/** A line on the lock screen. */
export type Notice = {
  readonly id: string;
  readonly at: string;
  readonly title: string;
  readonly text: string;
  readonly passKey: string;
};

/** Something that a phone did, for developers who wonder what it asked and was told. */
export type Deed = { readonly at: string; readonly text: string; readonly isProblem: boolean };

/** What both kinds of phones have. */
type Common = {
  readonly id: string;
  readonly name: string;
  /** The language that its owner reads, such as `en` or `de-CH`. */
  readonly language: string;
  notices: readonly Notice[];
  deeds: readonly Deed[];
};

/** A pass in the wallet of an iPhone. */
export type ApplePass = {
  readonly key: string;
  readonly passTypeIdentifier: string;
  readonly serialNumber: string;
  /** The name of its .pkpass file. */
  readonly bundle: string;
  /** Of the last answer of the web service; undefined before the first update. */
  readonly lastModified: string | undefined;
  readonly isRegistered: boolean;
  readonly addedAt: string;
  readonly updatedAt: string;
};

export type Iphone = Common & {
  readonly kind: "iphone";
  readonly deviceLibraryIdentifier: string;
  readonly pushToken: string;
  passes: readonly ApplePass[];
  /** The tag that each web service gave with its last list of changed passes. */
  tags: Readonly<Record<string, string>>;
};

/** An object in the wallet of an Android phone, which shows what Google has. */
export type GooglePass = {
  readonly key: string;
  readonly objectId: string;
  readonly addedAt: string;
  readonly updatedAt: string;
};

export type Android = Common & { readonly kind: "android"; passes: readonly GooglePass[] };

export type Phone = Iphone | Android;
export type PhoneKind = Phone["kind"];

const NOTICES_MAX = 30;
const DEEDS_MAX = 60;
const TEXT_CHARS_MAX = 500;

export function makePhone(kind: PhoneKind, name: string, language: string): Phone {
  const common = { id: randomBytes(6).toString("hex"), name, language, notices: [], deeds: [] };
  if (kind === "android") return { ...common, kind, passes: [] };
  return {
    ...common,
    kind,
    deviceLibraryIdentifier: randomBytes(16).toString("hex"),
    pushToken: randomBytes(32).toString("hex"),
    passes: [],
    tags: {},
  };
}

/** A short name of a pass on a phone, fit for addresses. */
export function passKey(...parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 16);
}

export function addNotice(phone: Phone, passKey: string, title: string, text: string): void {
  const notice = {
    id: randomUUID(),
    at: new Date().toISOString(),
    title: title.slice(0, TEXT_CHARS_MAX),
    text: text.slice(0, TEXT_CHARS_MAX),
    passKey,
  };
  phone.notices = [notice, ...phone.notices].slice(0, NOTICES_MAX);
}

export function addDeed(phone: Phone, text: string, isProblem = false): void {
  const deed = { at: new Date().toISOString(), text: text.slice(0, TEXT_CHARS_MAX), isProblem };
  phone.deeds = [deed, ...phone.deeds].slice(0, DEEDS_MAX);
}
