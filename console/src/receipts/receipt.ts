import type { components } from "../../generated/schema.ts";
import { api, type ListPage, take, takePage } from "../api/client.ts";
import { type Filter, type ListWish, listQuery } from "../api/list-query.ts";

export type Receipt = components["schemas"]["Receipt"];
export type ReceiptSummary = components["schemas"]["ReceiptSummary"];
export type RefundCreate = components["schemas"]["ReceiptRefundCreate"];

export const RECEIPT_EVENTS = ["receipt."];
export const receiptsOf = (tenantId: string): readonly unknown[] => ["receipts", tenantId];

const at = (tenantId: string, receiptId: string) => ({ params: { path: { tenantId, receiptId } } });

export const listReceipts = (tenantId: string, wish: ListWish): Promise<ListPage<ReceiptSummary>> =>
  takePage(
    api.GET("/api/{tenantId}/receipts", { params: { path: { tenantId }, query: listQuery(wish) } }),
  );

export const getReceipt = (tenantId: string, receiptId: string): Promise<Receipt> =>
  take(api.GET("/api/{tenantId}/receipts/{receiptId}", at(tenantId, receiptId)));

export const noteRefund = (
  tenantId: string,
  receiptId: string,
  body: RefundCreate,
): Promise<Receipt> =>
  take(
    api.POST("/api/{tenantId}/receipts/{receiptId}/refunds", { ...at(tenantId, receiptId), body }),
  );

export const eraseReceipt = (tenantId: string, receiptId: string): Promise<unknown> =>
  take(api.DELETE("/api/{tenantId}/receipts/{receiptId}", at(tenantId, receiptId)));

/** Ids are known by their beginnings; everything else is a part of a reference. */
export function typedFilter(value: string): Filter[] {
  if (/^ps_/.test(value)) return [{ field: "passId", operator: "equals", value }];
  if (/^cus_/.test(value)) return [{ field: "customerId", operator: "equals", value }];
  return [{ field: "reference", operator: "contains", value }];
}

/** As the language of the person writes an amount. A currency that nobody knows is named by its code. */
export function moneyIn(language: string, amount: number, currency: string): string {
  // The API keeps four digits behind the point, and none of them is hidden.
  const style = { style: "currency", currency, maximumFractionDigits: 4 } as const;
  return new Intl.NumberFormat(language, style).format(amount);
}
