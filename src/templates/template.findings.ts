import {
  defineFinding,
  type Finding,
  type FindingKind,
  type Place,
  type Severity,
} from "#src/files/public.ts";

type Facts = { readonly message: string; readonly hint?: string | undefined };

function define(code: string, severity: Severity, summary: string, hint: string) {
  return defineFinding<Facts>({
    code,
    severity,
    summary,
    hint,
    message: ({ message }) => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`,
    advice: (facts) => facts.hint,
  });
}

const TEMPLATE = {
  "liquid-syntax": define(
    "template.liquid-syntax",
    "error",
    "A text is not valid Liquid.",
    "Check the braces, quotes and closing tags.",
  ),
  "unknown-variable": define(
    "template.unknown-variable",
    "error",
    "A text uses a variable that does not exist.",
    "Use one of the variables templates know.",
  ),
  "unknown-tag": define(
    "template.unknown-tag",
    "error",
    "A text uses a tag that does not exist here.",
    "Use one of the tags templates know.",
  ),
  "unknown-filter": define(
    "template.unknown-filter",
    "error",
    "A text uses a filter that does not exist here.",
    "Use one of the filters templates know.",
  ),
  "unknown-data": define(
    "template.unknown-data",
    "warning",
    "A text uses a member of 'data' that the template does not declare.",
    "Add it to the properties of 'data', or correct its name.",
  ),
  "unknown-privilege": define(
    "template.unknown-privilege",
    "warning",
    "A text uses a privilege that the template does not give.",
    "Add it to 'privileges', or correct its name.",
  ),
  "unknown-time-zone": define(
    "template.unknown-time-zone",
    "warning",
    "A time zone does not exist, so times are those of the tenant's zone.",
    "Use the IANA name, such as Europe/Zurich.",
  ),
  "unknown-status": define(
    "template.unknown-status",
    "warning",
    "A journey has a status that wallets do not know.",
    "Use scheduled, delayed, boarding, active, landed, cancelled, redirected or diverted; words of your own belong to 'statusText'.",
  ),
  "duplicate-key": define(
    "template.duplicate-key",
    "error",
    "Two fields have the same key.",
    "Give every field of a pass a key of its own.",
  ),
  "wrong-block": define(
    "template.wrong-block",
    "error",
    "A part of the template belongs to another kind of pass.",
    "Remove it, or change the kind of the template.",
  ),
  "transit-missing": define(
    "template.transit-missing",
    "error",
    "A boarding pass does not say what it is for.",
    "Add transit: { type: air }, or train, bus, boat, generic.",
  ),
  "data-too-large": define(
    "template.data-too-large",
    "error",
    "The schema in 'data' describes more than a pass can hold.",
    "Describe what texts show or callers must send; the rest needs no description.",
  ),
  expiration: define(
    "template.expiration",
    "error",
    "It is not clear when passes expire.",
    "Write after: P2Y for two years, P30D for thirty days, or at: with a date.",
  ),
  "mixed-format": define(
    "template.mixed-format",
    "error",
    "A field has two formats at once.",
    "Keep date and time, or number, or currency.",
  ),
  "unknown-currency": define(
    "template.unknown-currency",
    "warning",
    "A currency is none of ISO 4217, so wallets cannot write its amounts.",
    "Use the code of three letters, as in EUR; write points as a number with their name.",
  ),
  "layout-without-template": define(
    "template.layout-without-template",
    "warning",
    "A layout belongs to no template.",
    "Name the file after a template: layouts/<passType>.apple.yml.",
  ),
  "layout-fixed-member": define(
    "template.layout-fixed-member",
    "warning",
    "A layout sets what belongs to the identity of each pass; that has no effect.",
    "Remove the member.",
  ),
  "pass-type-name": define(
    "template.pass-type-name",
    "error",
    "The name of a file cannot be the name of a pass type.",
    "Use letters, digits, '-' and '_', at most 64 of them.",
  ),
  "too-slow": define(
    "template.too-slow",
    "error",
    "A text takes too long to render.",
    "Make the text simpler: fewer loops, fewer turns.",
  ),
  "too-large": define(
    "template.too-large",
    "error",
    "A text becomes too large.",
    "Shorten the text; a value holds 16 KiB at most.",
  ),
  "render-failed": define(
    "template.render-failed",
    "error",
    "A text could not be rendered with sample data.",
    "Allow for missing data: {% if data.x %} … {% endif %} or {{ data.x | default: '' }}.",
  ),
};

const LOCALE = {
  "unknown-language": define(
    "locale.unknown-language",
    "error",
    "The name of a file is not a language.",
    "Name the file after a language: locales/de.yml or locales/pt-BR.yml.",
  ),
  "not-text": define(
    "locale.not-text",
    "error",
    "A translation is not a text.",
    "Give a text, or a map of texts.",
  ),
};

export const templateFindings: readonly FindingKind[] = [
  ...Object.values(TEMPLATE),
  ...Object.values(LOCALE),
];

export function templateFinding(
  problem: keyof typeof TEMPLATE,
  place: Place,
  message: string,
  hint?: string,
): Finding {
  return TEMPLATE[problem](place, { message, hint });
}

export function localeFinding(
  problem: keyof typeof LOCALE,
  place: Place,
  message: string,
): Finding {
  return LOCALE[problem](place, { message });
}
