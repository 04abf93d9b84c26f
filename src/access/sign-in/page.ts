import { Html, html } from "#kernel/http/html.ts";
import { SCENE } from "./page.scene.ts";
import { STYLE_ELEMENT, STYLE_HASH } from "./page.style.ts";

const LOGO =
  '<svg viewBox="0 0 28 28" aria-hidden="true"><rect class="back" x="6" y="3" width="18" height="12" rx="3"/><rect class="front" x="2" y="8" width="24" height="17" rx="4"/><rect class="slot" x="17" y="14.5" width="9" height="4" rx="2"/></svg>';
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28"><rect x="2" y="5" width="24" height="18" rx="4" fill="#2b4bd8"/><rect x="17" y="12" width="9" height="4" rx="2" fill="#fff"/></svg>',
)}`;

export type PageContent = {
  readonly title: string;
  readonly lead: Html | string;
  readonly body?: Html;
  /** The public address, shown so that people can check which server they are on. */
  readonly baseUrl: string;
};

export function renderPage({ title, lead, body, baseUrl }: PageContent): string {
  const { host } = new URL(baseUrl);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Billfold</title>
<link rel="icon" href="${ICON}">
${new Html(STYLE_ELEMENT)}
</head>
<body>
<div class="scene" aria-hidden="true">${new Html(SCENE)}<p>Passes people keep in their pocket.</p></div>
<main>
<p class="brand">${new Html(LOGO)}Billfold</p>
<div class="card">
<h1>${title}</h1>
<p class="lead">${lead}</p>
${body}
</div>
</main>
<footer>${host}</footer>
</body>
</html>
`.text;
}

/**
 * Headers of all pages. Scripts are forbidden. Forms may lead to the public address too: browsers
 * apply `form-action` also to redirects after a form, and the page may have been opened under
 * another name of this server.
 *
 * `returnUrl` is the address to which people return after sign-in. Programs may open the sign-in
 * page in a window of its own and wait until it closes. With `cross-origin-opener-policy`, such a
 * window would look closed to them, so the header is left out.
 */
export function pageHeaders(baseUrl: string, returnUrl?: string): Record<string, string> {
  const { origin } = new URL(baseUrl);
  const targets = new Set([
    origin,
    ...(returnUrl === undefined ? [] : [new URL(returnUrl).origin]),
  ]);
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; style-src ${STYLE_HASH}; img-src data:; form-action 'self' ${[...targets].join(" ")}; base-uri 'none'; frame-ancestors 'none'`,
    "cache-control": "no-store",
    // With `no-referrer`, browsers would send `Origin: null`, and the form would be refused.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    ...(returnUrl === undefined ? { "cross-origin-opener-policy": "same-origin" } : {}),
  };
}
