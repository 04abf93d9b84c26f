import { Html, html } from "#kernel/http/html.ts";
import { publicPage } from "#kernel/http/public-page.ts";
import { cardPreview } from "./landing.card.ts";
import { UNKNOWN_APP, type Visitor } from "./landing.device.ts";
import type { Picture } from "./landing.pictures.ts";
import type { Landing, LandingCard } from "./landing.service.ts";
import { type PageStyle, styleFor } from "./landing.style.ts";
import { type PageLanguage, WORDS, type Words } from "./landing.words.ts";
import { qrCode } from "./qr/qr.code.ts";
import { qrPicture } from "./qr/qr.picture.ts";

export type Page = { readonly html: string; readonly style: PageStyle };

/** The wallets that can take the pass now. */
export type Offers = {
  readonly apple: Offer | undefined;
  readonly google: Offer | undefined;
};

/** `development` for passes that no real phone accepts. */
export type Offer = "real" | "development";

export type LandingView = {
  readonly landing: Landing;
  readonly offers: Offers;
  readonly visitor: Visitor;
  readonly language: PageLanguage;
  /** The last part of the address of this page, to which the other addresses are relative. */
  readonly link: string;
};

export function landingPage(view: LandingView): Page {
  const { landing, language, link } = view;
  const words = WORDS[language];
  const { card, pictures } = landing;
  if (card === undefined) {
    return messagePage(language, words.nowhereTitle, words.nowhereText);
  }
  const { rendered, content } = card;
  const pictureUrl = (picture: Picture) => `${link}/${picture}.png`;
  const preview = cardPreview({ rendered, pictures, pictureUrl, label: words.cardLabel });
  const body = html`<header class="hero${pictures.has("cover") ? " covered" : ""}">${
    pictures.has("cover")
      ? html`<img class="cover" src="${pictureUrl("cover")}" alt="">`
      : undefined
  }<p class="brand" lang="${rendered.language}">${
    pictures.has("brand")
      ? html`<img src="${pictureUrl("brand")}" alt="${rendered.organization}">`
      : html`<span>${rendered.organization}</span>`
  }</p></header>
<main>
${preview}
<div class="talk">${heading(card)}${talk(view, words)}</div>
${scan(view, words)}
</main>`;
  return page({
    language,
    title: `${rendered.description} · ${rendered.organization}`,
    body,
    className: landing.obstacle === undefined ? "" : "over",
    footer: words.privacy,
    style: styleFor(content.template.template.colors ?? {}),
  });
}

function heading({ rendered }: LandingCard): Html {
  return html`<div class="heading" lang="${rendered.language}">
<p class="eyebrow">${rendered.organization}</p>
<h1>${rendered.description}</h1>
</div>`;
}

/** The buttons that work on this device. A computer shows both, and is no wallet itself. */
function buttonsFor({ landing, offers, visitor }: LandingView) {
  const isOpen = landing.obstacle === undefined;
  return {
    apple: isOpen && offers.apple !== undefined && visitor.platform !== "android",
    google: isOpen && offers.google !== undefined && visitor.platform !== "apple",
  };
}

function talk(view: LandingView, words: Words): Html {
  const { apple, google } = buttonsFor(view);
  switch (view.landing.obstacle) {
    case "disabled":
      return note(words.disabledTitle, words.disabledText, true);
    case "expired":
      return note(words.expiredTitle, words.expiredText, true);
    default:
      return apple || google
        ? invitation(view, words)
        : note(words.nowhereTitle, words.nowhereText);
  }
}

function invitation(view: LandingView, words: Words): Html {
  const { offers, visitor, link } = view;
  const { apple, google } = buttonsFor(view);
  const shown = [apple ? offers.apple : undefined, google ? offers.google : undefined];
  const hint = apple ? safariNote(visitor, words) : undefined;
  return html`<p class="lead">${words.lead}</p>
${hint}
<div class="actions">
${apple ? button(`${link}/pass.pkpass`, words.addToApple, hint !== undefined) : undefined}
${google ? button(`${link}/google`, words.addToGoogle) : undefined}
</div>
${shown.includes("development") ? html`<p class="note">${words.testOnly}</p>` : undefined}`;
}

/** Apps and other browsers on an iPhone show an error, or nothing, instead of adding a pass. */
function safariNote({ platform, app }: Visitor, words: Words): Html | undefined {
  if (platform !== "apple" || app === undefined) return undefined;
  const title =
    app === UNKNOWN_APP ? words.openInSafariAnyApp : words.openInSafari.replace("{app}", app);
  return note(title, `${words.openInSafariHow} ${words.openInSafariCopy}`);
}

function note(title: string, text: string, isBad = false): Html {
  return html`<div class="note${isBad ? " bad" : ""}"><strong>${title}</strong><span>${text}</span></div>`;
}

/** A neutral wallet: the badges of Apple and Google are their own artwork. */
const WALLET = new Html(
  '<svg viewBox="0 0 30 30" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" stroke-linecap="round"><path d="M7 10V7.5A1.5 1.5 0 0 1 8.5 6h13A1.5 1.5 0 0 1 23 7.5V10"/><rect x="4" y="10" width="22" height="15" rx="3"/><path d="M4 15h6.5a1 1 0 0 1 .9.55 4 4 0 0 0 7.2 0 1 1 0 0 1 .9-.55H26"/></svg>',
);

/** A button that hardly works here is not the one to look at first. */
function button(href: string, text: string, isSecond = false): Html {
  return html`<a class="button${isSecond ? " second" : ""}" href="${href}" rel="nofollow">${WALLET}<span>${text}</span></a>`;
}

/** On a computer: the address of this page for the phone. */
function scan(view: LandingView, words: Words): Html | undefined {
  const { apple, google } = buttonsFor(view);
  if (view.visitor.platform !== "desktop" || !(apple || google)) return undefined;
  const code = qrCode(view.landing.links.landing);
  if (code === undefined) return undefined;
  const { path, viewBox } = qrPicture(code);
  return html`<div class="scan">
<svg viewBox="${viewBox}" role="img" aria-label="${words.qrLabel}" shape-rendering="crispEdges"><path d="${path}" fill="#000"/></svg>
<div><h2>${words.scan}</h2><p>${words.scanHow}</p></div>
</div>`;
}

const NO_CARD = new Html(
  '<svg viewBox="0 0 136 92" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round"><rect x="14" y="12" width="108" height="68" rx="10" stroke-dasharray="7 7"/><path d="M30 32h30M30 62h16M58 62h10" opacity=".6"/><circle cx="102" cy="34" r="6" opacity=".6"/></svg>',
);

/** A page without a card. It says nothing about a tenant, because it is shown for all of them. */
export function messagePage(language: PageLanguage, title: string, text: string): Page {
  return page({
    language,
    title,
    className: "plain",
    body: html`<main><div class="talk">${NO_CARD}<div class="heading"><h1>${title}</h1><p class="lead">${text}</p></div></div></main>`,
    footer: WORDS[language].privacy,
    style: styleFor(undefined),
  });
}

type PageParts = Omit<Parameters<typeof publicPage>[0], "sheets"> & {
  readonly language: PageLanguage;
  readonly style: PageStyle;
};

function page({ style, ...parts }: PageParts): Page {
  return { html: publicPage({ ...parts, sheets: style.sheets }), style };
}
