import type { CSSProperties } from "react";
import { useWords } from "../words/language.ts";
import classes from "./pass-on-phone.module.css";
import { barcodeOf, type Card, type CardField, pictureOf } from "./simulator.ts";
import { words } from "./words.ts";

const BARCODE_TEXT_MAX = 120;

type Props = {
  readonly card: Card;
  readonly phoneId: string;
  readonly isFlipped: boolean;
  /** Keys of fields that have just changed. */
  readonly changed: ReadonlySet<string>;
};

const colorsOf = ({ colors }: Card): CSSProperties =>
  ({
    "--pass-background": colors.background,
    "--pass-foreground": colors.foreground,
    "--pass-label": colors.label,
  }) as CSSProperties;

/** One pass as the phone holds it: drawn from its own copy, not from the record. */
export function PassOnPhone({ card, phoneId, isFlipped, changed }: Props) {
  return (
    <article
      className={classes.card}
      data-wallet={card.wallet}
      data-inactive={card.status !== "active" || undefined}
      style={colorsOf(card)}
      aria-label={card.description || card.organization}
    >
      {isFlipped ? (
        <Back card={card} changed={changed} />
      ) : (
        <Front card={card} phoneId={phoneId} changed={changed} />
      )}
    </article>
  );
}

function Front({ card, phoneId, changed }: Omit<Props, "isFlipped">) {
  const isApple = card.wallet === "apple";
  const strip = pictureOf(card, isApple ? "strip" : "hero");
  const thumbnail = pictureOf(card, "thumbnail");
  const rows = isApple ? [card.secondary, card.auxiliary] : card.rows;
  return (
    <>
      <Top card={card} changed={changed} />
      {isApple && strip !== undefined && <img className={classes.strip} src={strip} alt="" />}
      <div className={classes.primary}>
        <Fields fields={card.primary} changed={changed} />
        {thumbnail !== undefined && <img className={classes.thumbnail} src={thumbnail} alt="" />}
      </div>
      {rows.map((fields, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names, and keep their places.
        <Fields key={at} fields={fields} changed={changed} />
      ))}
      <Status card={card} />
      <Barcode card={card} phoneId={phoneId} />
      {!isApple && strip !== undefined && <img className={classes.hero} src={strip} alt="" />}
    </>
  );
}

function Top({ card, changed }: Pick<Props, "card" | "changed">) {
  const logo = pictureOf(card, "logo") ?? pictureOf(card, "icon");
  return (
    <header className={classes.top}>
      {logo === undefined ? (
        <span className={classes.initial} aria-hidden>
          {card.organization.slice(0, 1)}
        </span>
      ) : (
        <img className={classes.logo} src={logo} alt="" />
      )}
      <span className={classes.logoText}>{card.logoText || card.organization}</span>
      <Fields fields={card.header} changed={changed} />
    </header>
  );
}

function Fields({
  fields,
  changed,
}: { readonly fields: readonly CardField[] } & Pick<Props, "changed">) {
  if (fields.length === 0) return undefined;
  return (
    <dl className={classes.fields}>
      {fields.map(({ key, label, value, align }) => (
        <div
          // A field that reads otherwise is drawn anew, so that it lights up.
          key={`${key} ${value}`}
          data-align={align}
          data-changed={changed.has(key) || undefined}
        >
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Status({ card: { status } }: Pick<Props, "card">) {
  const w = useWords(words);
  if (status === "active") return undefined;
  return <p className={classes.status}>{w[status]}</p>;
}

function Barcode({ card, phoneId }: Pick<Props, "card" | "phoneId">) {
  const w = useWords(words);
  if (card.barcode === undefined) return undefined;
  const { message, text, format } = card.barcode;
  return (
    <div className={classes.barcode} data-format={format}>
      <img src={barcodeOf(phoneId, card)} alt={w.barcode(message.slice(0, BARCODE_TEXT_MAX))} />
      {text !== "" && <span>{text}</span>}
    </div>
  );
}

function Back({ card, changed }: Pick<Props, "card" | "changed">) {
  const w = useWords(words);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long back is scrolled, also by keyboard.
    <section className={classes.back} tabIndex={0} aria-label={w.back}>
      <strong>{card.description || card.organization}</strong>
      {card.back.length === 0 && <p>{w.nothingOnBack}</p>}
      <dl>
        {card.back.map(({ key, label, value, spans }) => (
          <div key={`${key} ${value}`} data-changed={changed.has(key) || undefined}>
            {label !== "" && <dt>{label}</dt>}
            <dd>
              {(spans ?? [{ text: value }]).map(({ text, href }) =>
                href === undefined ? (
                  text
                ) : (
                  <a key={text} href={href} target="_blank" rel="noreferrer noopener">
                    {text}
                  </a>
                ),
              )}
            </dd>
          </div>
        ))}
        <div>
          <dt>{card.wallet === "apple" ? w.signedBy : w.issuedBy}</dt>
          <dd>{card.vouchedBy}</dd>
        </div>
      </dl>
    </section>
  );
}

/** The upper edge of a pass, as it lies among others in the wallet. */
export function PassEdge({ card, onOpen }: { readonly card: Card; readonly onOpen: () => void }) {
  const w = useWords(words);
  const name = card.logoText || card.organization;
  const logo = pictureOf(card, "logo") ?? pictureOf(card, "icon");
  const [first] = card.primary;
  return (
    <button
      type="button"
      className={classes.edge}
      style={colorsOf(card)}
      onClick={onOpen}
      aria-label={w.openPass([name, first?.value].filter(Boolean).join(", "))}
    >
      {logo !== undefined && <img className={classes.logo} src={logo} alt="" />}
      <span className={classes.logoText}>{name}</span>
      <span className={classes.edgeMore}>{first?.value}</span>
    </button>
  );
}
