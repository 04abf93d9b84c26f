import { IconBus, IconPlane, IconShip, IconTrain } from "@tabler/icons-react";
import type { ComponentType, CSSProperties } from "react";
import { useWords } from "../../words/language.ts";
import { APPLE, type ApplePass, type ShownField } from "./apple-pass.ts";
import { Barcode } from "./barcode.tsx";
import classes from "./pass-preview.module.css";
import { imageSource } from "./preview.ts";
import type { PreviewImage } from "./shapes.ts";
import { words } from "./words.ts";

type Props = { readonly pass: ApplePass; readonly images: readonly PreviewImage[] };

const SCALE = "@2x.png";
const PER_ROW_MAX = 4;
const HEADER_MAX = 3;

const TRANSIT: Readonly<Record<string, ComponentType<{ size?: number; stroke?: number }>>> = {
  PKTransitTypeAir: IconPlane,
  PKTransitTypeTrain: IconTrain,
  PKTransitTypeBus: IconBus,
  PKTransitTypeBoat: IconShip,
};

/** The front, arranged as Apple arranges this style. The colours are the pass's own. */
export function AppleCard({ pass, images }: Props) {
  const w = useWords(words);
  const picture = (name: string) => imageSource(images, `${name}${SCALE}`);
  const { colors, style, fields } = pass;
  const [strip, background] = [picture("strip"), picture("background")];
  const own = {
    "--pass-background": colors.background,
    "--pass-value": colors.value,
    "--pass-label": colors.label,
  } as CSSProperties;
  return (
    <article
      className={classes.apple}
      data-style={style}
      data-voided={pass.isVoided || undefined}
      style={own}
      aria-label={w.frontOf(APPLE)}
    >
      {background !== undefined && <img className={classes.background} src={background} alt="" />}
      <div className={classes.top}>
        {picture("logo") !== undefined && (
          <img className={classes.logo} src={picture("logo")} alt="" />
        )}
        <p className={classes.logoText}>{pass.logoText}</p>
        <Fields fields={fields.header.slice(0, HEADER_MAX)} className={classes.header} />
      </div>
      {strip !== undefined || style === "storeCard" || style === "coupon" ? (
        <div className={classes.strip} data-empty={strip === undefined || undefined}>
          {strip !== undefined && <img src={strip} alt="" />}
          <Fields fields={fields.primary.slice(0, 1)} className={classes.primary} />
        </div>
      ) : (
        <Middle pass={pass} thumbnail={picture("thumbnail")} />
      )}
      <Rows pass={pass} />
      <div className={classes.foot}>
        {picture("footer") !== undefined && (
          <img className={classes.footer} src={picture("footer")} alt="" />
        )}
        {pass.barcode !== undefined && pass.barcode.message !== "" && (
          <Barcode barcode={pass.barcode} />
        )}
      </div>
    </article>
  );
}

/** The primary fields of styles without a strip: beside a thumbnail, or from here to there. */
function Middle({ pass, thumbnail }: { pass: ApplePass; thumbnail: string | undefined }) {
  const { primary } = pass.fields;
  if (pass.style === "boardingPass") {
    const Way = TRANSIT[pass.transit] ?? IconPlane;
    const [from, to] = primary;
    return (
      <div className={classes.journey}>
        {from !== undefined && <Fields fields={[from]} className={classes.primary} />}
        <Way size={34} stroke={1.4} />
        {to !== undefined && (
          <Fields fields={[{ ...to, align: "right" }]} className={classes.primary} />
        )}
      </div>
    );
  }
  return (
    <div className={classes.middle}>
      <Fields fields={primary.slice(0, 1)} className={classes.primary} />
      {thumbnail !== undefined && <img className={classes.thumbnail} src={thumbnail} alt="" />}
    </div>
  );
}

/** Store cards and coupons put secondary and auxiliary fields into one row. */
function Rows({ pass: { style, fields } }: { pass: ApplePass }) {
  const { secondary, auxiliary } = fields;
  const isOne = style === "storeCard" || style === "coupon";
  const later = [0, 1].map((row) => auxiliary.filter((field) => field.row === row));
  const rows = isOne
    ? [[...secondary, ...auxiliary].slice(0, PER_ROW_MAX)]
    : style === "boardingPass"
      ? [...later, secondary]
      : [secondary, ...later];
  return (
    <>
      {rows
        .filter((row) => row.length > 0)
        .map((row) => (
          <Fields key={row[0]?.key} fields={row} className={classes.row} />
        ))}
    </>
  );
}

type FieldsProps = {
  readonly fields: readonly ShownField[];
  readonly className?: string | undefined;
};

export function Fields({ fields, className }: FieldsProps) {
  if (fields.length === 0) return undefined;
  return (
    <dl className={className} data-count={fields.length}>
      {fields.map(({ key, label, text, align }) => (
        <div key={key} data-align={align} data-field={key}>
          {/* A list of terms needs its terms, also where the pass shows none. */}
          <dt>{label}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
