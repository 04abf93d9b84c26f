import catalogue from "./catalogue.json" with { type: "json" };
import type { FindingWords, ToldFinding } from "./finding-words.ts";
import { ofFiles } from "./french-files.ts";
import { ofSettings } from "./french-settings.ts";
import { ofTemplates } from "./french-templates.ts";
import { credentialProblems, ofWallets } from "./french-wallets.ts";
import type { FindingCode, FindingText } from "./text.ts";

/** Every finding in French. Loaded only where the console is French: see `use-finding-words.ts`. */
export const frenchFindings: Readonly<Record<FindingCode, FindingText>> = {
  ...ofFiles,
  ...ofSettings,
  ...ofTemplates,
  ...ofWallets,
};

const isKnown = (code: string): code is FindingCode => Object.hasOwn(frenchFindings, code);

/** The API's own words are kept where they tell more than the French text: names and numbers. */
function exactOf({ code, message, hint }: ToldFinding): string[] {
  if (isKnown(code)) {
    const usual = catalogue[code];
    return [
      ...(message === usual.summary ? [] : [message]),
      ...(hint === usual.hint ? [] : [hint]),
    ];
  }
  const own = { message, hint };
  return (credentialProblems[code]?.tellsMore ?? []).map((member) => own[member]);
}

/** Undefined for a code that this console does not know, such as one of a newer service. */
export function inFrench(finding: ToldFinding): FindingWords | undefined {
  const { code } = finding;
  const text = isKnown(code) ? frenchFindings[code] : credentialProblems[code];
  if (text === undefined) return undefined;
  const exact = exactOf(finding);
  return {
    summary: text.summary,
    hint: text.hint,
    language: "fr",
    exact: exact.length === 0 ? undefined : exact.join(" "),
  };
}
