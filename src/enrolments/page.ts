import type { FastifyReply, FastifyRequest } from "fastify";
import { chooseLanguage, wantedLanguages } from "#kernel/http/accept-language.ts";
import { messagePage, PAGE_LANGUAGES, type Page, type PageLanguage } from "#src/wallets/public.ts";
import type { PageSources } from "./form/form.bot-check.ts";

/** For every answer of the public addresses. */
export const plainHeaders = {
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow, noarchive",
  "cross-origin-resource-policy": "same-origin",
};

/** The language of a page that belongs to no tenant. */
export function pageLanguageOf(request: FastifyRequest): PageLanguage {
  const wanted = wantedLanguages(request.headers["accept-language"]);
  return chooseLanguage(wanted, PAGE_LANGUAGES) ?? "en";
}

/** A page without a form. It says nothing about a tenant, because it is shown for all of them. */
export function sendMessage(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  title: string,
  text: string,
): FastifyReply {
  return sendPage(reply, status, messagePage(pageLanguageOf(request), title, text));
}

export function sendPage(
  reply: FastifyReply,
  status: number,
  { html, style, sources }: Page & { readonly sources?: PageSources },
): FastifyReply {
  const hasVendor = sources !== undefined && sources.script.length > 0;
  return reply
    .code(status)
    .headers({
      ...plainHeaders,
      "content-security-policy": policyOf(style.hashes, sources),
      "cache-control": "no-store",
      "cross-origin-opener-policy": "same-origin",
      // Not `no-referrer`: browsers would then hide the origin of a form that is sent. Vendors of a
      // bot check look at the host that their widget is on.
      "referrer-policy": hasVendor ? "strict-origin" : "same-origin",
      vary: "accept-language",
      "x-frame-options": "DENY",
    })
    .type("text/html; charset=utf-8")
    .send(html);
}

function policyOf(hashes: readonly string[], sources: PageSources | undefined): string {
  const { script = [], frame = [], connect = [], style = [] } = sources ?? {};
  const part = (name: string, list: readonly string[]) =>
    list.length === 0 ? [] : [`${name} ${list.join(" ")}`];
  return [
    "default-src 'none'",
    ...part("script-src", script),
    ...part("frame-src", frame),
    ...part("connect-src", connect),
    ...part("style-src", [...hashes, ...style]),
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
