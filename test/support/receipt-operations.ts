import { ensurePass, type Maker, made, type Preparation } from "./operation-made.ts";
import type { TestApi } from "./start-api.ts";

/** What the operations of receipts are called with. */

export const receiptOf = (mark: string) => ({
  reference: mark,
  currency: "EUR",
  lines: [{ description: mark, total: 3.5 }],
  total: 3.5,
  note: mark,
});

const record = (api: TestApi, tenantId: string, mark: string, more: object = {}) =>
  made(api, `/api/${tenantId}/receipts`, { ...receiptOf(mark), ...more }, "receiptId");

export const RECEIPT_MAKERS: Readonly<Record<string, Maker>> = {
  receiptId: (api, tenantId, mark) => record(api, tenantId, mark),
};

const withReceipts: Preparation = async (api, tenantId, mark) => {
  for (const count of [1, 2]) await record(api, tenantId, `${mark}-${count}`);
  return {};
};

const withReceiptsOfPass: Preparation = async (api, tenantId, mark) => {
  const number = `r-${mark}`;
  const identifiers = { "loyalty.number": number };
  const { id: passId } = await ensurePass(api, tenantId, { identifiers });
  for (const count of [1, 2]) await record(api, tenantId, `${mark}-${count}`, { passId });
  return { passId, identifierName: "loyalty.number", identifierValue: number };
};

/** Lists of which there is more than one page. */
export const RECEIPT_PREPARATIONS: Readonly<Record<string, Preparation>> = {
  "receipt.list": withReceipts,
  "receipt.list-of-pass": withReceiptsOfPass,
  "receipt.list-of-pass-by-identifier": withReceiptsOfPass,
};
