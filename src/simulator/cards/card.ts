/** A piece of text; with an address, a person can follow it. */
export type Span = { readonly text: string; readonly href?: string };

export type CardField = {
  readonly key: string;
  readonly label: string;
  readonly value: string;
  /** Set for texts on the back that hold links. */
  readonly spans?: readonly Span[];
  readonly align?: "left" | "center" | "right";
};

/** A pass as a phone draws it, the same for both wallets. */
export type Card = {
  readonly key: string;
  readonly wallet: "apple" | "google";
  /** `storeCard`, `eventTicket`, `loyalty`… */
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
  /** Addresses of pictures, by their place on the card. */
  readonly images: Readonly<Record<string, string>>;
  readonly header: readonly CardField[];
  readonly primary: readonly CardField[];
  readonly secondary: readonly CardField[];
  readonly auxiliary: readonly CardField[];
  /** The rows of an Android card; an iPhone has its sections instead. */
  readonly rows: readonly (readonly CardField[])[];
  readonly back: readonly CardField[];
  readonly transit: string | undefined;
  readonly barcode: CardBarcode | undefined;
  /** `active`, or why the pass is greyed out. */
  readonly status: "active" | "voided" | "expired" | "completed" | "inactive";
  /** Who vouches for it: the authority on an iPhone, the issuer on Android. */
  readonly vouchedBy: string;
  readonly updatedAt: string;
  /** Set if the phone asks its owner to sign up. */
  readonly enrolment?: CardEnrolment;
};

export type CardEnrolment = {
  readonly description: string;
  readonly terms: readonly Span[];
  /** What the owner is asked for, by the names under which the phone sends it. */
  readonly inputs: readonly string[];
  readonly logo?: string;
};

export type CardBarcode = {
  readonly format: BarcodeFormat;
  readonly message: string;
  readonly text: string;
};

export type BarcodeFormat =
  | "qrcode"
  | "pdf417"
  | "azteccode"
  | "code128"
  | "code39"
  | "rationalizedCodabar"
  | "ean13"
  | "ean8"
  | "interleaved2of5"
  | "datamatrix"
  | "upca";

const SAFE_LINK = /^(https?:\/\/|mailto:|tel:)/i;
const ANCHOR = /<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)')[^>]*>([\s\S]*?)<\/a>/gi;
const BARE_LINK = /https?:\/\/[^\s<>"')]+/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

/** Splits text with `<a href>` into pieces; other marks are dropped, as Wallet does. */
export function spansOfMarkup(markup: string): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const match of markup.matchAll(ANCHOR)) {
    const [whole, double, single, label = ""] = match;
    const href = plain(double ?? single ?? "");
    spans.push({ text: plain(markup.slice(at, match.index)) });
    spans.push(SAFE_LINK.test(href) ? { text: plain(label), href } : { text: plain(label) });
    at = match.index + whole.length;
  }
  spans.push({ text: plain(markup.slice(at)) });
  return spans.filter(({ text }) => text !== "");
}

/** Makes addresses within a text links, as both wallets do on the back. */
export function spansOfText(text: string): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const match of text.matchAll(BARE_LINK)) {
    spans.push({ text: text.slice(at, match.index) }, { text: match[0], href: match[0] });
    at = match.index + match[0].length;
  }
  spans.push({ text: text.slice(at) });
  return spans.filter((span) => span.text !== "");
}

function plain(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&(amp|lt|gt|quot);/g, (_, name: string) => ENTITIES[name] ?? "")
    .replaceAll("&#39;", "'");
}
