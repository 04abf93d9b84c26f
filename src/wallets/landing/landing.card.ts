import { type Html, html } from "#kernel/http/html.ts";
import type { RenderedField, RenderedPass, Section } from "#src/templates/language/public.ts";
import type { Picture } from "./landing.pictures.ts";

export type CardView = {
  readonly rendered: RenderedPass;
  readonly pictures: ReadonlySet<Picture>;
  /** The address of a picture, relative to the page. */
  pictureUrl(picture: Picture): string;
  /** What people who hear the page are told about the card. */
  readonly label: string;
};

/** More fields than a wallet shows on the front would make the preview another card. */
const ROWS_MAX = 4;

/** A neutral picture of the front. It has no barcode: nobody should be let in by a web page. */
export function cardPreview({ rendered, pictures, pictureUrl, label }: CardView): Html {
  const shown = (section: Section) => rendered.fields[section].filter(({ text }) => text !== "");
  const primary = shown("primary");
  const rows = [...shown("secondary"), ...shown("auxiliary")].slice(0, ROWS_MAX);
  const image = (picture: Picture, name: string) =>
    pictures.has(picture)
      ? html`<img class="${name}" src="${pictureUrl(picture)}" alt="">`
      : undefined;
  const hasMain = primary.length > 0 || pictures.has("thumbnail");
  return html`<section class="pass" aria-label="${label}" lang="${rendered.language}">
<div class="top">${image("logo", "logo")}${
    rendered.logoText === "" && pictures.has("logo")
      ? undefined
      : html`<p class="name">${rendered.logoText || rendered.organization}</p>`
  }${fieldList(shown("header").slice(0, 2))}</div>
${image("strip", "strip")}
${
  hasMain
    ? html`<div class="main">${fieldList(primary.slice(0, 2))}${image("thumbnail", "thumbnail")}</div>`
    : undefined
}
${rows.length === 0 ? undefined : html`<dl class="rows">${rows.map(fieldItem)}</dl>`}
</section>`;
}

function fieldList(fields: readonly RenderedField[]): Html | undefined {
  return fields.length === 0 ? undefined : html`<dl>${fields.map(fieldItem)}</dl>`;
}

function fieldItem({ label, text }: RenderedField): Html {
  return html`<div>${label === "" ? undefined : html`<dt>${label}</dt>`}<dd>${text}</dd></div>`;
}
