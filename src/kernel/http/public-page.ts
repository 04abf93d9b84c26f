import { Html, html } from "./html.ts";

type PublicPage = {
  readonly language: string;
  readonly title: string;
  readonly className: string;
  readonly body: Html;
  readonly footer: string;
  /** Styles of our own, which the page holds in itself. */
  readonly sheets: readonly string[];
};

/** A page for people who got its address from somebody: no search engine lists it. */
export function publicPage({
  language,
  title,
  className,
  body,
  footer,
  sheets,
}: PublicPage): string {
  const styles = sheets.map((sheet) => new Html(`<style>${sheet}</style>`));
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no, date=no, address=no">
<title>${title}</title>
<link rel="icon" href="data:,">
${styles}
</head>
<body class="${className}">
${body}
<footer>${footer}</footer>
</body>
</html>
`.text;
}
