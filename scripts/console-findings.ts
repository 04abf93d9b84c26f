import type { FindingKind } from "#src/files/public.ts";

/**
 * What every finding says in all cases. The console needs it where it is not English: it shows what the API says
 * of a case only if that tells more than this.
 */
export function consoleFindings(kinds: readonly FindingKind[]): string {
  const texts = kinds.map(({ code, summary, hint }) => [code, { summary, hint }] as const);
  return `${JSON.stringify(Object.fromEntries(texts), undefined, 2)}\n`;
}
