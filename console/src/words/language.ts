import { useSyncExternalStore } from "react";
import { LANGUAGES, type Language, type Text, type WordList, type WordsOf } from "./define.ts";

const KEPT_AS = "billfold-language";

function firstLanguage(): Language {
  const wishes = [localStorage.getItem(KEPT_AS), ...navigator.languages];
  for (const wish of wishes) {
    const found = LANGUAGES.find((language) => wish?.toLowerCase().startsWith(language));
    if (found !== undefined) return found;
  }
  return "en";
}

let current = firstLanguage();
document.documentElement.lang = current;
const listeners = new Set<() => void>();

export function setLanguage(language: Language): void {
  current = language;
  localStorage.setItem(KEPT_AS, language);
  document.documentElement.lang = language;
  for (const listener of listeners) listener();
}

export const getLanguage = (): Language => current;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useLanguage = (): Language => useSyncExternalStore(subscribe, getLanguage);

// biome-ignore lint/suspicious/noExplicitAny: the kind of each word is known to its own list.
export function useWords<English extends Record<string, any>>(
  words: WordList<English>,
): WordsOf<English> {
  return words[useLanguage()];
}

export const useText = (): ((text: Text) => string) => {
  const language = useLanguage();
  return (text) => text[language];
};
