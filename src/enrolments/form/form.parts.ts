import { type Html, html } from "#kernel/http/html.ts";
import { consentName } from "./form.answers.ts";
import { type Field, type FieldKind, textIn } from "./form.fields.ts";
import type { Form } from "./form.service.ts";
import { FORM_WORDS, type UsualField } from "./form.words.ts";

/** Other names under which the usual questions are kept. */
const USUAL: Readonly<Record<string, UsualField>> = {
  firstName: "firstName",
  givenName: "firstName",
  lastName: "lastName",
  familyName: "lastName",
  surname: "lastName",
  name: "name",
  fullName: "name",
  email: "email",
  mail: "email",
  phone: "phone",
  mobile: "phone",
  birthday: "birthday",
  birthDate: "birthday",
  dateOfBirth: "birthday",
  street: "street",
  postalCode: "postalCode",
  zip: "postalCode",
  city: "city",
  country: "country",
};

/** What browsers fill in by themselves. */
const AUTOCOMPLETE: Readonly<Record<UsualField, string>> = {
  firstName: "given-name",
  lastName: "family-name",
  name: "name",
  email: "email",
  phone: "tel",
  birthday: "bday",
  street: "street-address",
  postalCode: "postal-code",
  city: "address-level2",
  country: "country-name",
};

const INPUTS: Readonly<Partial<Record<FieldKind, { type: string; mode: string | undefined }>>> = {
  email: { type: "email", mode: "email" },
  phone: { type: "tel", mode: "tel" },
  url: { type: "url", mode: "url" },
  date: { type: "date", mode: undefined },
  // Not `number`: such an input shows nothing of what it cannot read, and scrolls by accident.
  integer: { type: "text", mode: "numeric" },
  number: { type: "text", mode: "decimal" },
};

function usualOf({ member, personal }: Field): UsualField | undefined {
  if (personal !== undefined) return personal;
  return Object.hasOwn(USUAL, member) ? USUAL[member] : undefined;
}

export function labelOf(field: Field, { language, languages, wordsIn }: Form): string {
  if (field.label !== undefined) return textIn(field.label, [language, ...languages]);
  const usual = usualOf(field);
  if (usual !== undefined) return FORM_WORDS[wordsIn].fields[usual];
  return field.schema.title ?? field.member;
}

/** Fills in a sentence about a field. */
export function sentence(text: string, label: string, field: Field | undefined): string {
  const { minLength, minimum, maximum } = field?.schema ?? {};
  const isRange = minimum !== undefined && maximum !== undefined;
  const [min, max] = isRange ? [minimum, maximum] : [minLength ?? 0, field?.lengthMax ?? 0];
  return text
    .replace("{min}", String(min))
    .replace("{max}", String(max))
    .replace("{label}", () => label);
}

/** The same sentence where the label stands beside it, and need not be said again. */
export function sentenceAlone(text: string, field: Field | undefined): string {
  const short = text.replace(/^\{label\}\s?: /, "").replace(/\s?: \{label\}$/, ".");
  const said = sentence(short, "", field);
  return said.charAt(0).toLocaleUpperCase() + said.slice(1);
}

/** An id without the dot of the name, so that it can be the end of an address. */
export function idOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, "-");
}

export function fieldPart(
  form: Form,
  field: Field,
  value: string,
  error: string | undefined,
): Html {
  const words = FORM_WORDS[form.wordsIn];
  const id = idOf(field.name);
  const own = field.hint && textIn(field.hint, [form.language, ...form.languages]);
  const hint = own ?? (field.kind === "phone" ? words.phoneHint : undefined);
  const aids = aidsOf(id, hint, error);
  if (field.kind === "yes-no") return tickPart(field, { form, value, aids });
  const mark = field.isRequired
    ? undefined
    : html` <span class="optional">(${words.optional})</span>`;
  return html`<div class="field${error === undefined ? "" : " wrong"}">
<label for="${id}">${labelOf(field, form)}${mark}</label>
${aids.hint}
${field.kind === "choice" ? selectOf(form, field, value, aids) : inputOf(field, value, aids)}
${aids.error}
</div>`;
}

type Aids = {
  readonly hint: Html | undefined;
  readonly error: Html | undefined;
  /** Ties the input to its hint and its error, for people who hear the page. */
  readonly attributes: Html;
};

function aidsOf(id: string, hint: string | undefined, error: string | undefined): Aids {
  const ids = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return {
    hint: hint === undefined ? undefined : html`<p class="hint" id="${id}-hint">${hint}</p>`,
    error: error === undefined ? undefined : html`<p class="error" id="${id}-error">${error}</p>`,
    attributes: html`${ids === "" ? undefined : html` aria-describedby="${ids}"`}${
      error === undefined ? undefined : html` aria-invalid="true"`
    }`,
  };
}

function inputOf(field: Field, value: string, { attributes }: Aids): Html {
  const { type, mode } = INPUTS[field.kind] ?? { type: "text", mode: undefined };
  const usual = usualOf(field);
  return html`<input id="${idOf(field.name)}" name="${field.name}" type="${type}" value="${value}" maxlength="${field.lengthMax}"${
    mode === undefined ? undefined : html` inputmode="${mode}"`
  } autocomplete="${usual === undefined ? "off" : AUTOCOMPLETE[usual]}"${
    field.kind === "email" ? html` autocapitalize="none" spellcheck="false"` : undefined
  }${field.isRequired ? html` required` : undefined}${attributes}>`;
}

function selectOf(form: Form, field: Field, value: string, { attributes }: Aids): Html {
  const choices = (field.schema.enum ?? []).map((choice) => {
    const text = String(choice);
    return html`<option value="${text}"${text === value ? html` selected` : undefined}>${text}</option>`;
  });
  return html`<select id="${idOf(field.name)}" name="${field.name}"${
    field.isRequired ? html` required` : undefined
  }${attributes}><option value="">${FORM_WORDS[form.wordsIn].choose}</option>${choices}</select>`;
}

type TickView = { readonly form: Form; readonly value: string; readonly aids: Aids };

function tickPart(field: Field, { form, value, aids }: TickView): Html {
  const id = idOf(field.name);
  return html`<div class="tick">
<input id="${id}" name="${field.name}" type="checkbox" value="yes"${
    value === "" ? undefined : html` checked`
  }${field.isRequired ? html` required` : undefined}${aids.attributes}>
<label for="${id}">${labelOf(field, form)}</label>
${aids.hint}
${aids.error}
</div>`;
}

/** The text is the tenant's, in the language of the form. Its address opens beside the form. */
export function consentPart(
  form: Form,
  { id: consentId, text, url, isRequired }: Form["consents"][number],
  isGranted: boolean,
  error: string | undefined,
): Html {
  const words = FORM_WORDS[form.wordsIn];
  const name = consentName(consentId);
  const id = idOf(name);
  const aids = aidsOf(id, undefined, error);
  const mark = isRequired ? undefined : html` <span class="optional">(${words.optional})</span>`;
  return html`<div class="tick">
<input id="${id}" name="${name}" type="checkbox" value="yes"${
    isGranted ? html` checked` : undefined
  }${isRequired ? html` required` : undefined}${aids.attributes}>
<label for="${id}"><span id="${id}-text" lang="${form.language}">${text}</span>${mark}</label>
${
  url === undefined
    ? undefined
    : html`<p class="hint"><a href="${url}" target="_blank" rel="noopener noreferrer" aria-describedby="${id}-text">${words.readMore}</a></p>`
}
${aids.error}
</div>`;
}
