import type { TemplateValue } from "../template.value.ts";

const LIQUID = /\{\{.*?\}\}|\{%.*?%\}/gs;
const LINK = /^(https?:\/\/\S+|tel:\S+|mailto:\S+|[^\s@]+@[^\s@]+)$/;
const WORD = /\p{L}*(\p{Ll}|\p{Lo})\p{L}*/gu;
const TRANSLATED = /'([^']*)'\s*\|\s*t\b|"([^"]*)"\s*\|\s*t\b/g;

/** What a text says besides its Liquid. */
export function proseOf({ text }: TemplateValue): string {
  // What cannot be read as Liquid is told of as such.
  if (text.problems.length > 0) return "";
  return text.isLiteral ? text.source : text.source.replace(LIQUID, "");
}

/** Whether a person would say it differently in another language: codes and addresses stay. */
export function isTranslatable(value: TemplateValue): boolean {
  const prose = proseOf(value).trim();
  if (LINK.test(prose)) return false;
  return (prose.match(WORD) ?? []).some((word) => word.length > 1);
}

/** Texts that a value asks a translation for: `{{ 'Ready' | t }}`. */
export function translatedLiterals({ text }: TemplateValue): string[] {
  if (text.isLiteral || text.problems.length > 0) return [];
  return [...text.source.matchAll(TRANSLATED)].map(([, single, double]) => single ?? double ?? "");
}
