import {
  type ReceiptCreate,
  type ReceiptResource,
  type ReceiptView,
  urlOf,
} from "./receipt.schema.ts";

/** One purchase in a café, for the documentation. */

const ID = "rc_0VfQm3Ks00x7Rk2LwPq9Zt";

export const RECEIPT_SENT: ReceiptCreate = {
  source: "till",
  reference: "2026-004711",
  store: { id: "marais", name: "Café Lune Marais", address: "14 rue des Rosiers, 75004 Paris" },
  occurredAt: "2026-01-31T09:30:00.000Z",
  currency: "EUR",
  lines: [
    { description: "Flat white", quantity: 2, unitPrice: 4.2, total: 8.4, taxRate: 10 },
    { description: "Croissant", quantity: 1, unitPrice: 2.2, total: 2.2, taxRate: 5.5 },
  ],
  taxes: [
    { name: "TVA", rate: 10, amount: 0.76 },
    { name: "TVA", rate: 5.5, amount: 0.11 },
  ],
  total: 10.6,
  paidBy: "Visa ···· 4242",
  pointsEarned: 10,
};

export const RECEIPT_TOLD: ReceiptResource = {
  receiptId: ID,
  source: "till",
  reference: "2026-004711",
  passId: null,
  customerId: null,
  store: { id: "marais", name: "Café Lune Marais", address: "14 rue des Rosiers, 75004 Paris" },
  occurredAt: "2026-01-31T09:30:00.000Z",
  currency: "EUR",
  lineCount: 2,
  subtotal: null,
  taxes: [
    { name: "TVA", rate: 10, amount: 0.76 },
    { name: "TVA", rate: 5.5, amount: 0.11 },
  ],
  total: 10.6,
  paidBy: "Visa ···· 4242",
  refunded: 0,
  pointsEarned: 10,
  note: null,
  locale: null,
  version: 1,
  createdAt: "2026-01-31T09:30:01.000Z",
  updatedAt: "2026-01-31T09:30:01.000Z",
};

const url = urlOf("https://passes.example", "cafe-lune", { id: ID, secret: "x".repeat(24) });

export const RECEIPT_LISTED = { ...RECEIPT_TOLD, url };

export const RECEIPT_EXAMPLE: ReceiptView = {
  ...RECEIPT_LISTED,
  lines: [
    { description: "Flat white", quantity: 2, unitPrice: 4.2, total: 8.4, taxRate: 10 },
    { description: "Croissant", quantity: 1, unitPrice: 2.2, total: 2.2, taxRate: 5.5 },
  ],
  refunds: [],
};

export const REFUNDED_EXAMPLE: ReceiptView = {
  ...RECEIPT_EXAMPLE,
  refunded: 2.2,
  refunds: [
    {
      reference: "R-17",
      amount: 2.2,
      occurredAt: "2026-01-31T10:00:00.000Z",
      reason: null,
    },
  ],
  version: 2,
  updatedAt: "2026-01-31T10:00:00.000Z",
};
