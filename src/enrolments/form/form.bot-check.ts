import { hash } from "node:crypto";
import { Html, html } from "#kernel/http/html.ts";
import type { Form } from "./form.service.ts";
import { FORM_WORDS } from "./form.words.ts";

/** What the page may load beside its own pictures, as parts of a Content-Security-Policy. */
export type PageSources = {
  readonly script: readonly string[];
  readonly frame: readonly string[];
  readonly connect: readonly string[];
  readonly style: readonly string[];
};

const NOTHING: PageSources = { script: [], frame: [], connect: [], style: [] };

/**
 * Asks reCAPTCHA v3 for a token when the form is sent. Where the vendor's script did not load, the
 * form is sent without: the answer then explains it, and keeps what was typed.
 */
const SCORE_SCRIPT = `
(() => {
  const field = document.querySelector("input[data-score-key]");
  const form = field.form;
  let isReady = false;
  form.addEventListener("submit", (event) => {
    if (isReady || !globalThis.grecaptcha) return;
    event.preventDefault();
    const { scoreKey, scoreAction } = field.dataset;
    const options = scoreAction ? { action: scoreAction } : {};
    const send = (token) => {
      field.value = token || "";
      isReady = true;
      form.submit();
    };
    grecaptcha.ready(() => grecaptcha.execute(scoreKey, options).then(send, () => send("")));
  });
})();
`;
const SCORE_HASH = `'sha256-${hash("sha256", SCORE_SCRIPT, "base64")}'`;

/** Exactly what the vendor of the check needs; nothing without a check. */
export function sourcesOf({ botCheck }: Form): PageSources {
  if (botCheck === undefined) return NOTHING;
  const { sources } = botCheck.vendor;
  if (!botCheck.isScored) return sources;
  return { ...sources, script: [...sources.script, SCORE_HASH] };
}

/** The widget, if the tenant has a bot check. */
export function botCheckPart(form: Form): Html | undefined {
  const { botCheck, wordsIn, language } = form;
  if (botCheck === undefined) return undefined;
  const words = FORM_WORDS[wordsIn];
  const { vendor, siteKey, action, isScored } = botCheck;
  const note = html`<p class="hint">${words.checkedBy.replace("{vendor}", vendor.title)}</p>
<noscript><p class="note">${words.needsScript}</p></noscript>`;
  if (isScored) {
    const address = `${vendor.script}?${new URLSearchParams({ render: siteKey, hl: language })}`;
    return html`<div class="check"><input class="quiet" type="hidden" name="${vendor.formField}" value="" data-score-key="${siteKey}" data-score-action="${action ?? ""}">
${note}</div>
<script src="${address}" async defer></script>
${new Html(`<script>${SCORE_SCRIPT}</script>`)}`;
  }
  const address = vendor.hasLanguageInAddress
    ? `${vendor.script}?${new URLSearchParams({ hl: language })}`
    : vendor.script;
  return html`<div class="check"><div class="${vendor.widgetClass}" data-sitekey="${siteKey}"${
    action === undefined ? undefined : html` data-action="${action}"`
  } data-language="${language}" data-theme="auto"></div>
${note}</div>
<script src="${address}" async defer></script>`;
}
