import type { CSSProperties } from "react";
import { useWords } from "../../words/language.ts";
import { Barcode } from "./barcode.tsx";
import classes from "./google-card.module.css";
import { EXPIRY, GOOGLE, type GooglePass, type GoogleText } from "./google-pass.ts";
import { imageSource } from "./preview.ts";
import type { PreviewImage } from "./shapes.ts";
import sheet from "./sheet.module.css";
import { words } from "./words.ts";

type Props = { readonly pass: GooglePass; readonly images: readonly PreviewImage[] };

/** Google writes in white or black, whichever is easier to read on the colour of the card. */
function inkOn(background: string): string {
  const parts = [1, 3, 5].map((at) => Number.parseInt(background.slice(at, at + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = parts.map((part) =>
    part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  const light = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return 1.05 / (light + 0.05) >= (light + 0.05) / 0.05 ? "#ffffff" : "#000000";
}

export function GoogleCard({ pass, images }: Props) {
  const w = useWords(words);
  const { background, barcode, rows } = pass;
  const own = {
    "--pass-background": background,
    "--pass-value": inkOn(background),
  } as CSSProperties;
  const [logo, wide, hero] = [
    imageSource(images, pass.logo),
    imageSource(images, pass.wideLogo),
    imageSource(images, pass.hero),
  ];
  return (
    <article
      className={classes.google}
      style={own}
      data-voided={(pass.state !== "" && pass.state !== "ACTIVE") || undefined}
      aria-label={w.frontOf(GOOGLE)}
    >
      <div className={classes.googleTop}>
        {wide !== undefined ? (
          <img className={classes.wideLogo} src={wide} alt={pass.issuer} />
        ) : (
          <>
            {logo !== undefined && <img className={classes.circle} src={logo} alt="" />}
            <p>{pass.issuer}</p>
          </>
        )}
      </div>
      <div className={classes.googleTitle}>
        {pass.subtitle !== "" && <p>{pass.subtitle}</p>}
        <p className={classes.googleName}>{pass.title}</p>
      </div>
      {rows.map((row) => (
        <GoogleRow key={row[0]?.id} row={row} />
      ))}
      {barcode !== undefined && barcode.message !== "" && <Barcode barcode={barcode} />}
      {hero !== undefined && <img className={classes.hero} src={hero} alt="" />}
    </article>
  );
}

function GoogleRow({ row }: { row: readonly GoogleText[] }) {
  return (
    <dl className={classes.googleRow}>
      {row.map(({ id, label, text }) => (
        <div key={id} data-field={id}>
          <dt>{label}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The screen below the card. */
export function GoogleDetails({ pass, scheme }: { pass: GooglePass; scheme: string }) {
  const w = useWords(words);
  return (
    <article className={sheet.sheet} data-scheme={scheme} aria-label={w.backOf(GOOGLE)}>
      <p className={sheet.sheetTitle}>{pass.title}</p>
      <p className={sheet.sheetText}>{pass.issuer}</p>
      {pass.details.length === 0 && <p className={sheet.sheetText}>{w.nothingOnBack}</p>}
      <dl className={sheet.sheetList}>
        {pass.details.map(({ id, label, text, href }) => (
          <div key={id} data-field={id}>
            <dt>{id === EXPIRY ? w.expires : label}</dt>
            <dd data-link={href !== undefined || undefined}>{text}</dd>
          </div>
        ))}
      </dl>
    </article>
  );
}
