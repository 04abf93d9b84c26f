import { useWords } from "../../words/language.ts";
import { APPLE, type ApplePass } from "./apple-pass.ts";
import sheet from "./sheet.module.css";
import { words } from "./words.ts";

/** What one reads after turning the pass over. The phone decides its colours. */
export function AppleBack({
  pass,
  language,
  scheme,
}: {
  pass: ApplePass;
  language: string;
  scheme: string;
}) {
  const w = useWords(words);
  const { back } = pass.fields;
  const date = new Intl.DateTimeFormat(language, { dateStyle: "long" });
  return (
    <article className={sheet.sheet} data-scheme={scheme} aria-label={w.backOf(APPLE)}>
      <p className={sheet.sheetTitle}>{pass.organization}</p>
      <p className={sheet.sheetText}>{pass.description}</p>
      {pass.isVoided && <p className={sheet.sheetText}>{w.voided}</p>}
      {back.length === 0 && pass.expires === "" && (
        <p className={sheet.sheetText}>{w.nothingOnBack}</p>
      )}
      <dl className={sheet.sheetList}>
        {back.map(({ key, label, text }) => (
          <div key={key} data-field={key}>
            <dt>{label}</dt>
            <dd>{text}</dd>
          </div>
        ))}
        {pass.expires !== "" && (
          <div>
            <dt>{w.expires}</dt>
            <dd>{date.format(new Date(pass.expires))}</dd>
          </div>
        )}
      </dl>
    </article>
  );
}
