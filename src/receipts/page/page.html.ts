import { decimalFromUnits, unitsOf } from "#kernel/decimal.ts";
import { Html, html } from "#kernel/http/html.ts";
import { publicPage } from "#kernel/http/public-page.ts";
import { type MoneyFormat, moneyFormat, sumOf } from "../receipt.money.ts";
import type { Receipt, ReceiptLine, ReceiptTax } from "../receipt.schema.ts";
import { type PageStyle, styleFor } from "./page.style.ts";
import { type PageLanguage, WORDS, type Words } from "./page.words.ts";

export type Page = { readonly html: string; readonly style: PageStyle };

/** The language of the words, and the tag by which amounts and times are written. */
export type PageTongue = { readonly language: PageLanguage; readonly tag: string };

export type ReceiptPage = {
  readonly receipt: Receipt;
  readonly tongue: PageTongue;
  /** The name of the tenant. */
  readonly name: string;
  readonly timeZone: string;
  /** The colour of the card on which the receipt is linked. */
  readonly background: string | undefined;
  /** The address of the tenant's logo, relative to the page; undefined if there is none. */
  readonly logo: string | undefined;
};

export function receiptPage(view: ReceiptPage): Page {
  const { receipt, tongue, name, logo } = view;
  const words = WORDS[tongue.language];
  const format = moneyFormat(tongue.tag, receipt.currency);
  const brand =
    logo === undefined
      ? html`<span dir="auto">${name}</span>`
      : html`<img src="${logo}" alt=""><span class="hidden" dir="auto">${name}</span>`;
  const body = html`<header class="hero"><p class="brand">${brand}</p></header>
<main><article class="slip">
${heading(view, words)}
${itemTable(receipt, words, format)}
${sums(receipt, words, format)}
${refundList(view, words, format)}
${facts(receipt, words, format)}
${receipt.note === null ? undefined : html`<p class="note" dir="auto">${receipt.note}</p>`}
<p class="number">${words.number} <bdi>${receipt.reference}</bdi></p>
</article></main>`;
  return page({
    language: tongue.language,
    title: `${words.title} · ${receipt.storeName ?? name}`,
    className: "",
    body,
    style: styleFor(view.background),
  });
}

function heading({ receipt, tongue, timeZone }: ReceiptPage, words: Words): Html {
  const { storeName, storeAddress, occurredAt } = receipt;
  const when = new Intl.DateTimeFormat(tongue.tag, {
    dateStyle: "long",
    timeStyle: "short",
    timeZone,
  }).format(occurredAt);
  // Without a store, the name of the tenant above says enough.
  const title =
    storeName === null
      ? html`<h1>${words.title}</h1>`
      : html`<p class="eyebrow">${words.title}</p><h1 dir="auto">${storeName}</h1>`;
  return html`${title}
${storeAddress === null ? undefined : html`<p class="quiet" dir="auto">${storeAddress}</p>`}
<p class="quiet"><time datetime="${occurredAt.toISOString()}">${when}</time></p>`;
}

function itemTable({ lines }: Receipt, words: Words, format: MoneyFormat): Html | undefined {
  if (lines.length === 0) return undefined;
  return html`<table>
<caption class="hidden">${words.items}</caption>
<thead class="hidden"><tr><th scope="col">${words.item}</th><th scope="col">${words.amount}</th></tr></thead>
<tbody>${lines.map((line) => itemRow(line, words, format))}</tbody>
</table>`;
}

function itemRow(line: ReceiptLine, words: Words, format: MoneyFormat): Html {
  const tax = line.taxRate === null ? "" : `${words.tax} ${format.percent(line.taxRate)}`;
  const details = [quantityOf(line, format), tax].filter((text) => text !== "").join(" · ");
  return html`<tr><th scope="row"><bdi>${line.description}</bdi>${
    details === "" ? undefined : html`<span>${details}</span>`
  }</th><td>${format.money(line.total)}</td></tr>
`;
}

/** `2 × €4.20`; nothing for a single piece, whose price is the total. */
function quantityOf({ quantity, unitPrice, total }: ReceiptLine, format: MoneyFormat): string {
  if (quantity === "1" && (unitPrice === null || unitPrice === total)) return "";
  const count = `${format.number(quantity)} ×`;
  return unitPrice === null ? count : `${count} ${format.money(unitPrice)}`;
}

/** Taxes that were added stand before the total, and those that it contains after it. */
function sums({ subtotal, taxes, total }: Receipt, words: Words, format: MoneyFormat): Html {
  const added = sumOf([subtotal ?? "0", ...taxes.map(({ amount }) => amount)]);
  const isAdded = subtotal !== null && added === unitsOf(total);
  const label = (tax: ReceiptTax) =>
    [tax.name ?? words.tax, tax.rate && format.percent(tax.rate)].filter(Boolean).join(" ");
  const rows = taxes.map((tax) =>
    row(isAdded ? label(tax) : `${words.includes} ${label(tax)}`, format.money(tax.amount)),
  );
  return html`<dl class="sums">
${subtotal === null ? undefined : row(words.subtotal, format.money(subtotal))}
${isAdded ? rows : undefined}
<div class="total"><dt>${words.total}</dt><dd>${format.money(total)}</dd></div>
${isAdded ? undefined : rows}
</dl>`;
}

function row(term: string, value: string): Html {
  return html`<div><dt>${term}</dt><dd>${value}</dd></div>`;
}

function refundList(
  { receipt, tongue, timeZone }: ReceiptPage,
  words: Words,
  format: MoneyFormat,
): Html | undefined {
  const { refunds, total, refunded } = receipt;
  if (refunds.length === 0) return undefined;
  const day = new Intl.DateTimeFormat(tongue.tag, { dateStyle: "long", timeZone });
  const net = decimalFromUnits(unitsOf(total) - unitsOf(refunded));
  const rows = refunds.map(
    ({ occurredAt, amount, reason }) =>
      html`<div><dt>${words.refundOf} <time datetime="${occurredAt}">${day.format(new Date(occurredAt))}</time>${
        reason === null ? undefined : html`<small dir="auto">${reason}</small>`
      }</dt><dd>${format.minus(amount)}</dd></div>
`,
  );
  return html`<h2>${words.refunds}</h2><dl class="facts">${rows}
<div class="net"><dt>${words.afterRefunds}</dt><dd>${format.money(net)}</dd></div></dl>`;
}

function facts(
  { paidBy, pointsEarned }: Receipt,
  words: Words,
  format: MoneyFormat,
): Html | undefined {
  if (paidBy === null && pointsEarned === null) return undefined;
  return html`<dl class="facts">
${paidBy === null ? undefined : row(words.paidBy, paidBy)}
${pointsEarned === null ? undefined : row(words.points, format.number(pointsEarned))}
</dl>`;
}

const NO_SLIP = new Html(
  '<svg viewBox="0 0 96 104" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"><path d="M20 8h56v82l-8 6-8-6-8 6-8-6-8 6-8-6-8 6z" stroke-dasharray="7 7"/><path d="M34 30h28M34 46h28M34 62h14" opacity=".6"/></svg>',
);

/** A page without a receipt. It says nothing about a tenant, because it is shown for all of them. */
export function messagePage(language: PageLanguage, title: string, text: string): Page {
  return page({
    language,
    title,
    className: "plain",
    body: html`<main>${NO_SLIP}<h1>${title}</h1><p class="quiet">${text}</p></main>`,
    style: styleFor(undefined),
  });
}

type PageParts = Pick<Parameters<typeof publicPage>[0], "title" | "className" | "body"> & {
  readonly language: PageLanguage;
  readonly style: PageStyle;
};

function page({ style, ...parts }: PageParts): Page {
  const footer = WORDS[parts.language].privacy;
  return { html: publicPage({ ...parts, footer, sheets: style.sheets }), style };
}
