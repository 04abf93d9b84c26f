import type { TemplateValue } from "../template.value.ts";

const LIQUID = /\{\{.*?\}\}|\{%.*?%\}/gs;
const LINK = /^(https?:\/\/\S+|tel:\S+|mailto:\S+|[^\s@]+@[^\s@]+)$/;
const WORD = /\p{L}*(\p{Ll}|\p{Lo})\p{L}*/gu;

/** The part of a text that is not Liquid. */
export function proseOf({ text }: TemplateValue): string {
  // A text that is not valid Liquid has been reported already.
  if (text.problems.length > 0) return "";
  return text.isLiteral ? text.source : text.source.replace(LIQUID, "");
}

/** False for codes, links and addresses, which are the same in every language. */
export function isTranslatable(value: TemplateValue): boolean {
  const prose = proseOf(value).trim();
  if (LINK.test(prose)) return false;
  return (prose.match(WORD) ?? []).some((word) => word.length > 1);
}
