import type { PageLanguage } from "#src/wallets/public.ts";
import { de } from "./words/de.ts";
import { en } from "./words/en.ts";
import { es } from "./words/es.ts";
import type { FormWords } from "./words/form-words.ts";
import { fr } from "./words/fr.ts";
import { it } from "./words/it.ts";
import { nl } from "./words/nl.ts";
import { pt } from "./words/pt.ts";

export type { FormWords, UsualField } from "./words/form-words.ts";

export const FORM_WORDS: Readonly<Record<PageLanguage, FormWords>> = { en, de, fr, es, it, nl, pt };
