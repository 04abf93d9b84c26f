import Type, { type Static } from "typebox";
import {
  type Decimal,
  decimalSent,
  decimalShown,
  parseDecimal,
  showDecimal,
  showMaybeDecimal,
  unitsOf,
} from "#kernel/decimal.ts";
import { isStorableText } from "#kernel/http/lists/list-values.ts";
import { canonicalLocale } from "#kernel/intl.ts";
import { MomentSent } from "#src/passes/public.ts";

export const LINES_MAX = 200;
export const TAXES_MAX = 20;
export const REFUNDS_MAX = 100;
/** The source of receipts that callers of the API send without naming one. */
export const OWN_SOURCE = "api";

const closed = { additionalProperties: false } as const;
const Moment = Type.String({ format: "date-time" });
const maybe = <Schema extends Type.TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

const ID_EXAMPLE = "rc_0VfQm3Ks00x7Rk2LwPq9Zt";
const EXACT =
  "an exact decimal of at most 15 digits before the point and 4 after it, as a number or as text";

type TextOptions = { readonly description?: string; readonly examples?: readonly string[] };

/** Connectors hand over texts of others, which no reader of bodies has looked at. */
function text(maxLength: number, options: TextOptions = {}) {
  return Type.Refine(
    Type.String({ minLength: 1, maxLength, ...options }),
    isStorableText,
    () => "must not contain a NUL character or half of a surrogate pair",
  );
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

const Currency = Type.Refine(
  Type.String({
    pattern: "^[A-Z]{3}$",
    mustBe: "a currency of ISO 4217 in capital letters, such as EUR",
    description: "ISO 4217, in capital letters.",
    examples: ["EUR"],
  }),
  (code) => CURRENCIES.has(code),
  () => "must be a currency of ISO 4217, such as EUR",
);

const Locale = Type.Refine(
  Type.String({
    pattern: "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$",
    maxLength: 35,
    mustBe: "a language tag, such as de or pt-BR",
    description: "The language of the page, as a BCP 47 tag. Without it: what the visitor reads.",
    examples: ["fr"],
  }),
  (tag) => canonicalLocale(tag) !== undefined,
  () => "must be a language tag, such as de or pt-BR",
);

const isAboveZero = (sent: number | string): boolean => {
  const decimal = parseDecimal(sent);
  return decimal === undefined || unitsOf(decimal) > 0n;
};

const LineSent = Type.Object(
  {
    description: text(200, { examples: ["Flat white"] }),
    quantity: Type.Optional(
      decimalSent({ description: "How many or how much. Default: 1.", examples: [2] }),
    ),
    unitPrice: Type.Optional(decimalSent({ description: "Of one.", examples: [4.2] })),
    total: decimalSent({
      description: `What the line costs: ${EXACT}. Negative for a discount.`,
      examples: [8.4],
    }),
    taxRate: Type.Optional(decimalSent({ description: "In percent.", examples: [10] })),
  },
  { ...closed, title: "ReceiptLineSent" },
);

const TaxSent = Type.Object(
  {
    name: Type.Optional(text(100, { examples: ["TVA"] })),
    rate: Type.Optional(decimalSent({ description: "In percent.", examples: [10] })),
    amount: decimalSent({ examples: [1.05] }),
  },
  { ...closed, title: "ReceiptTaxSent" },
);

const StoreSent = Type.Object(
  {
    id: Type.Optional(
      text(64, {
        description:
          "The store. Without `name`, name and address are those of the store with this id in `server/stores.yml`.",
        examples: ["marais"],
      }),
    ),
    name: Type.Optional(text(200, { examples: ["Café Lune Marais"] })),
    address: Type.Optional(text(500, { examples: ["14 rue des Rosiers, 75004 Paris"] })),
  },
  { ...closed, title: "ReceiptStoreSent", description: "Where it was bought." },
);

export const ReceiptCreate = Type.Object(
  {
    source: Type.Optional(
      Type.String({
        pattern: "^[a-z][a-z0-9-]{0,63}$",
        mustBe: "small letters, digits and '-', at most 64, beginning with a letter",
        description: `The system that knows the purchase. Default: \`${OWN_SOURCE}\`.`,
        examples: ["till"],
      }),
    ),
    reference: text(200, {
      description:
        "The number of the purchase there. Together with `source` it names one receipt, however often it is sent.",
      examples: ["2026-004711"],
    }),
    passId: Type.Optional(
      text(50, { description: "The pass that was shown; it gets a link to the receipt." }),
    ),
    customerId: Type.Optional(
      text(64, { description: "Who bought it. The receipt is erased with them." }),
    ),
    store: Type.Optional(StoreSent),
    occurredAt: Type.Optional({
      ...MomentSent,
      description: "When it was bought, at most a day ahead. Default: now.",
    }),
    currency: Currency,
    lines: Type.Array(LineSent, { maxItems: LINES_MAX }),
    subtotal: Type.Optional(decimalSent({ examples: [10.6] })),
    taxes: Type.Optional(Type.Array(TaxSent, { maxItems: TAXES_MAX })),
    total: decimalSent({
      description: `What was paid: ${EXACT}. Nothing is added up or rounded: the receipt shows what was sent.`,
      examples: [11.65],
    }),
    paidBy: Type.Optional(text(100, { examples: ["Visa ···· 4242"] })),
    pointsEarned: Type.Optional(decimalSent({ examples: [11] })),
    note: Type.Optional(text(500, { examples: ["Thank you, and see you soon."] })),
    locale: Type.Optional(Locale),
  },
  { ...closed, title: "ReceiptCreate" },
);
export type ReceiptCreate = Static<typeof ReceiptCreate>;

export const RefundCreate = Type.Object(
  {
    reference: text(200, {
      description: "Your number of the refund. Sent twice, it is one refund.",
      examples: ["R-17"],
    }),
    amount: Type.Refine(
      decimalSent({ description: `Above zero: ${EXACT}.`, examples: [4.2] }),
      isAboveZero,
      () => "must be above zero",
    ),
    occurredAt: Type.Optional({
      ...MomentSent,
      description: "When it was given back, at most a day ahead. Default: now.",
    }),
    reason: Type.Optional(text(200, { examples: ["Spilt"] })),
  },
  { ...closed, title: "ReceiptRefundCreate" },
);
export type RefundCreate = Static<typeof RefundCreate>;

/** Amounts are texts, so that no reader of JSON changes a digit. */
export type ReceiptLine = {
  readonly description: string;
  readonly quantity: Decimal;
  readonly unitPrice: Decimal | null;
  readonly total: Decimal;
  readonly taxRate: Decimal | null;
};

export type ReceiptTax = {
  readonly name: string | null;
  readonly rate: Decimal | null;
  readonly amount: Decimal;
};

export type Refund = {
  readonly reference: string;
  readonly amount: Decimal;
  readonly occurredAt: string;
  readonly reason: string | null;
};

/** A receipt without what may be long. */
export type ReceiptEntry = {
  readonly id: string;
  readonly secret: string;
  readonly source: string;
  readonly reference: string;
  readonly passId: string | null;
  readonly customerId: string | null;
  readonly storeId: string | null;
  readonly storeName: string | null;
  readonly storeAddress: string | null;
  readonly occurredAt: Date;
  readonly currency: string;
  readonly lineCount: number;
  readonly subtotal: Decimal | null;
  readonly taxes: readonly ReceiptTax[];
  readonly total: Decimal;
  readonly paidBy: string | null;
  readonly refunded: Decimal;
  readonly pointsEarned: Decimal | null;
  readonly note: string | null;
  readonly locale: string | null;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type Receipt = ReceiptEntry & {
  readonly fingerprint: string;
  readonly lines: readonly ReceiptLine[];
  readonly refunds: readonly Refund[];
};

const members = {
  receiptId: Type.String({ examples: [ID_EXAMPLE] }),
  source: Type.String(),
  reference: Type.String(),
  passId: maybe(Type.String()),
  customerId: maybe(Type.String()),
  store: maybe(
    Type.Object(
      { id: maybe(Type.String()), name: maybe(Type.String()), address: maybe(Type.String()) },
      { title: "ReceiptStore" },
    ),
  ),
  occurredAt: Moment,
  currency: Type.String(),
  lineCount: Type.Integer({ minimum: 0, maximum: LINES_MAX }),
  subtotal: maybe(decimalShown()),
  taxes: Type.Array(
    Type.Object(
      { name: maybe(Type.String()), rate: maybe(decimalShown()), amount: decimalShown() },
      { title: "ReceiptTax" },
    ),
  ),
  total: decimalShown(),
  paidBy: maybe(Type.String()),
  refunded: decimalShown({ description: "How much was given back so far." }),
  pointsEarned: maybe(decimalShown()),
  note: maybe(Type.String()),
  locale: maybe(Type.String()),
  version: Type.Integer({ minimum: 1, description: "Rises with every refund." }),
  createdAt: Moment,
  updatedAt: Moment,
};

/** A receipt as events tell of it: without its lines, and without its link. */
export const ReceiptResource = Type.Object(members, { title: "ReceiptResource" });
export type ReceiptResource = Static<typeof ReceiptResource>;

const url = Type.String({
  format: "uri",
  description: "The page to give to the customer. It needs no credential: whoever has it sees it.",
});

/** A receipt in a list. */
export const ReceiptSummary = Type.Object({ ...members, url }, { title: "ReceiptSummary" });
export type ReceiptSummary = Static<typeof ReceiptSummary>;

export const ReceiptView = Type.Object(
  {
    ...members,
    url,
    lines: Type.Array(
      Type.Object(
        {
          description: Type.String(),
          quantity: decimalShown(),
          unitPrice: maybe(decimalShown()),
          total: decimalShown(),
          taxRate: maybe(decimalShown()),
        },
        { title: "ReceiptLine" },
      ),
    ),
    refunds: Type.Array(
      Type.Object(
        {
          reference: Type.String(),
          amount: decimalShown(),
          occurredAt: Moment,
          reason: maybe(Type.String()),
        },
        { title: "ReceiptRefund" },
      ),
    ),
  },
  { title: "Receipt" },
);
export type ReceiptView = Static<typeof ReceiptView>;

export const ReceiptParams = Type.Object({
  tenantId: Type.String(),
  receiptId: Type.String({ description: "The receipt.", examples: [ID_EXAMPLE] }),
});

/**
 * The public address of a receipt, below the public address of its tenant. Neither id nor secret has
 * a character to encode.
 */
export function urlOf(
  address: string,
  tenantId: string,
  { id, secret }: Pick<Receipt, "id" | "secret">,
): string {
  return `${address}/p/${tenantId}/receipts/${id}.${secret}`;
}

export function presentForEvent(receipt: ReceiptEntry): ReceiptResource {
  const { storeId, storeName, storeAddress } = receipt;
  const hasStore = storeId !== null || storeName !== null || storeAddress !== null;
  return {
    receiptId: receipt.id,
    source: receipt.source,
    reference: receipt.reference,
    passId: receipt.passId,
    customerId: receipt.customerId,
    store: hasStore ? { id: storeId, name: storeName, address: storeAddress } : null,
    occurredAt: receipt.occurredAt.toISOString(),
    currency: receipt.currency,
    lineCount: receipt.lineCount,
    subtotal: showMaybeDecimal(receipt.subtotal),
    taxes: receipt.taxes.map(({ name, rate, amount }) => ({
      name,
      rate: showMaybeDecimal(rate),
      amount: showDecimal(amount),
    })),
    total: showDecimal(receipt.total),
    paidBy: receipt.paidBy,
    refunded: showDecimal(receipt.refunded),
    pointsEarned: showMaybeDecimal(receipt.pointsEarned),
    note: receipt.note,
    locale: receipt.locale,
    version: receipt.version,
    createdAt: receipt.createdAt.toISOString(),
    updatedAt: receipt.updatedAt.toISOString(),
  };
}

/** `address` is the public address of the tenant. */
export function presentSummary(
  receipt: ReceiptEntry,
  address: string,
  tenantId: string,
): ReceiptSummary {
  return { ...presentForEvent(receipt), url: urlOf(address, tenantId, receipt) };
}

export function presentReceipt(receipt: Receipt, address: string, tenantId: string): ReceiptView {
  return {
    ...presentSummary(receipt, address, tenantId),
    lines: receipt.lines.map(({ description, quantity, unitPrice, total, taxRate }) => ({
      description,
      quantity: showDecimal(quantity),
      unitPrice: showMaybeDecimal(unitPrice),
      total: showDecimal(total),
      taxRate: showMaybeDecimal(taxRate),
    })),
    refunds: receipt.refunds.map((refund) => ({ ...refund, amount: showDecimal(refund.amount) })),
  };
}

/** Contains the id, so that versions of two receipts are never equal. */
export function versionOf({ id, version }: ReceiptEntry): string {
  return `${id}.${version}`;
}
