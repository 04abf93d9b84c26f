import { type Html, html } from "#kernel/http/html.ts";
import { publicPage } from "#kernel/http/public-page.ts";
import {
  cardPreview,
  LANDING_WORDS,
  type Page,
  type Picture,
  styleFor,
} from "#src/wallets/public.ts";
import { type AnswerProblem, consentName, type Typed } from "./form.answers.ts";
import { botCheckPart, type PageSources, sourcesOf } from "./form.bot-check.ts";
import { type Field, textIn } from "./form.fields.ts";
import { consentPart, fieldPart, idOf, labelOf, sentence, sentenceAlone } from "./form.parts.ts";
import type { Form } from "./form.service.ts";
import { withFormStyle } from "./form.style.ts";
import { FORM_WORDS } from "./form.words.ts";

export type FormPage = Page & { readonly sources: PageSources };

export type FormView = {
  readonly form: Form;
  /** Names this form among all that are sent. */
  readonly attempt: string;
  readonly typed: Typed | undefined;
  readonly problems: ReadonlyMap<string, AnswerProblem>;
  /** What went wrong beside the answers, as a sentence. */
  readonly trouble: string | undefined;
};

export function formPage(view: FormView): FormPage {
  const { form, trouble, problems } = view;
  const { settings, preview, wordsIn, language, languages } = form;
  const words = FORM_WORDS[wordsIn];
  const inOrder = [language, ...languages];
  const title =
    settings.title === undefined ? preview.description : textIn(settings.title, inOrder);
  const isWrong = trouble !== undefined || problems.size > 0;
  const body = html`<div class="sheet">
<div class="heading" lang="${language}">
<p class="eyebrow">${preview.organization}</p>
<h1>${title}</h1>
${
  settings.description === undefined
    ? undefined
    : html`<p class="lead">${textIn(settings.description, inOrder)}</p>`
}
</div>
${isWrong ? summary(view) : undefined}
${questions(view)}
</div>`;
  const name = `${title} · ${preview.organization}`;
  return formFrame(form, isWrong ? `${words.errorPrefix}: ${name}` : name, body);
}

/** The page for a person who has such a pass. It says so of nobody for sure. */
export function knownPage(form: Form): FormPage {
  const words = FORM_WORDS[form.wordsIn];
  const body = html`<div class="sheet">
<div class="heading"><p class="eyebrow" lang="${form.language}">${form.preview.organization}</p>
<h1>${words.knownTitle}</h1></div>
<p class="lead">${words.knownText}</p>
<p class="known"><a href="${addressOf(form)}">${words.back}</a></p>
</div>`;
  return formFrame(form, `${words.knownTitle} · ${form.preview.organization}`, body);
}

/** Relative to the page, so that it is right under every host name and prefix. */
function addressOf({ type, link }: Form, language?: string): string {
  const query = new URLSearchParams();
  if (language !== undefined) query.set("lang", language);
  if (link !== undefined) query.set("link", link.id);
  const text = query.toString();
  const path = encodeURIComponent(type.rules.passType);
  return text === "" ? path : `${path}?${text}`;
}

function summary({ form, problems, trouble }: FormView): Html {
  const words = FORM_WORDS[form.wordsIn];
  const lines = [...problems].map(([name, problem]) => {
    const text = problemText(form, name, problem);
    return html`<li><a href="#${idOf(name)}">${text}</a></li>`;
  });
  return html`<div class="summary" role="alert" tabindex="-1" autofocus>
<h2>${trouble ?? words.summary}</h2>
${lines.length === 0 ? undefined : html`<ul>${lines}</ul>`}
</div>`;
}

function problemText(form: Form, name: string, problem: AnswerProblem): string {
  const field = form.fields.find((one) => one.name === name);
  const consent = form.consents.find(({ id }) => consentName(id) === name);
  const label = field === undefined ? (consent?.text ?? "") : labelOf(field, form);
  return sentence(FORM_WORDS[form.wordsIn].problems[problem], label, field);
}

function questions(view: FormView): Html {
  const { form, attempt, typed, problems } = view;
  const words = FORM_WORDS[form.wordsIn];
  const error = (name: string) => {
    const problem = problems.get(name);
    const field = form.fields.find((one) => one.name === name);
    return problem === undefined ? undefined : sentenceAlone(words.problems[problem], field);
  };
  const typedIn = (name: string) => typed?.texts.get(name) ?? "";
  const fields = form.fields.map((field: Field) =>
    fieldPart(form, field, typedIn(field.name), error(field.name)),
  );
  const consents = form.consents.map((consent) => {
    const name = consentName(consent.id);
    return consentPart(form, consent, typedIn(name) !== "", error(name));
  });
  const { settings, language, languages } = form;
  const button =
    settings.button === undefined
      ? words.submit
      : textIn(settings.button, [language, ...languages]);
  return html`<form method="post" action="${addressOf(form)}" novalidate accept-charset="utf-8">
<input type="hidden" name="attempt" value="${attempt}">
<input type="hidden" name="lang" value="${language}">
${fields}
${consents.length === 0 ? undefined : html`<div class="consents">${consents}</div>`}
${botCheckPart(form)}
<button class="button" type="submit">${button}</button>
</form>`;
}

function formFrame(form: Form, title: string, body: Html): FormPage {
  const { type, pictures, preview, wordsIn, botCheck } = form;
  // The vendor of a bot check has cookies and rules of its own, which the form names.
  const footer = botCheck === undefined ? FORM_WORDS[wordsIn].privacy : "";
  const picture = (name: Picture) => `${encodeURIComponent(type.rules.passType)}/${name}.png`;
  const style = withFormStyle(styleFor(type.template.colors ?? {}));
  const label = LANDING_WORDS[wordsIn].cardLabel;
  const card = cardPreview({ rendered: preview, pictures, pictureUrl: picture, label });
  const isCovered = pictures.has("cover");
  const whole = html`<header class="hero${isCovered ? " covered" : ""}">${
    isCovered ? html`<img class="cover" src="${picture("cover")}" alt="">` : undefined
  }<div class="brand"><div lang="${preview.language}">${
    pictures.has("brand")
      ? html`<img src="${picture("brand")}" alt="${preview.organization}">`
      : html`<span>${preview.organization}</span>`
  }</div>${languageLinks(form)}</div></header>
<main>
${card}
${body}
</main>`;
  const text = publicPage({
    language: wordsIn,
    title,
    className: "form",
    body: whole,
    footer,
    sheets: style.sheets,
  });
  return { html: text, style, sources: sourcesOf(form) };
}

function languageLinks(form: Form): Html | undefined {
  const { languages, language } = form;
  if (languages.length < 2) return undefined;
  const items = languages.map((other) => {
    const name = nameOf(other);
    return other === language
      ? html`<li><span lang="${other}" aria-current="true">${name}</span></li>`
      : html`<li><a lang="${other}" hreflang="${other}" href="${addressOf(form, other)}">${name}</a></li>`;
  });
  return html`<nav aria-label="${FORM_WORDS[form.wordsIn].language}"><ul class="languages">${items}</ul></nav>`;
}

/** The name of a language in itself, with a capital as in a menu. */
function nameOf(language: string): string {
  const name = new Intl.DisplayNames([language], { type: "language" }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}
