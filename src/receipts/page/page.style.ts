import { hash } from "node:crypto";
import { contrast } from "#src/templates/language/public.ts";

/** The style of every page. The colours of a tenant's card follow in a style element of their own. */
const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f5f4f1; --ink: #1b1b1f; --quiet: #5c5a63; --line: #dcd9d2; --slip: #fff; --card: #2c2c33; --card-ink: #fff;
  --shadow: 0 1px 2px rgb(20 20 30 / 10%), 0 18px 40px rgb(20 20 30 / 14%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #121215; --ink: #f2f0f5; --quiet: #b0adb9; --line: #3a3941; --slip: #1d1d22;
    --shadow: 0 1px 2px rgb(0 0 0 / 50%), 0 18px 40px rgb(0 0 0 / 45%);
  }
}
* { box-sizing: border-box; }
html { font: 100%/1.5 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; -webkit-text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column; background: var(--paper); color: var(--ink); }
p, h1, h2, dl, dd, ul { margin: 0; padding: 0; }
.hero { height: 9.5rem; background: var(--card); color: var(--card-ink); }
.brand { max-width: 31rem; margin: 0 auto; padding: 1.25rem 1.25rem 0; font-weight: 650; font-size: 1.125rem; letter-spacing: -.01em; overflow-wrap: anywhere; }
.brand img { display: block; max-width: 11rem; max-height: 3rem; }
main { flex: 1; width: 100%; max-width: 31rem; margin: -4.25rem auto 0; padding: 0 1rem 1.5rem; }
.slip { padding: 1.75rem 1.5rem 1.5rem; border-radius: 1rem; background: var(--slip); box-shadow: var(--shadow); }
.eyebrow { font-size: .8125rem; font-weight: 600; letter-spacing: .04em; text-transform: uppercase; color: var(--quiet); }
h1 { margin-top: .125rem; font-size: 1.5rem; line-height: 1.2; font-weight: 660; letter-spacing: -.022em; text-wrap: balance; overflow-wrap: anywhere; }
.quiet { margin-top: .25rem; color: var(--quiet); font-size: .9375rem; overflow-wrap: anywhere; }
table { width: 100%; margin-top: 1.375rem; border-collapse: collapse; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
tbody th, tbody td { padding: .625rem 0; border-top: 1px solid var(--line); vertical-align: top; }
tbody th { font-weight: 500; text-align: left; overflow-wrap: anywhere; }
tbody th span { display: block; margin-top: .0625rem; font-weight: 400; font-size: .875rem; color: var(--quiet); }
tbody td, dd { text-align: right; font-variant-numeric: tabular-nums; }
tbody td { padding-left: 1rem; white-space: nowrap; }
dl { border-top: 1px solid var(--line); padding: .625rem 0; }
dl div { display: flex; justify-content: space-between; gap: 1rem; padding: .1875rem 0; }
dt { overflow-wrap: anywhere; }
dd { max-width: 65%; overflow-wrap: anywhere; }
.sums { border-top: 2px solid var(--ink); }
.sums dt, .sums dd { color: var(--quiet); font-size: .9375rem; }
.sums .total dt, .sums .total dd { color: var(--ink); font-size: 1.375rem; line-height: 1.3; font-weight: 680; letter-spacing: -.015em; }
.facts dt { color: var(--quiet); }
.facts .net dt, .facts .net dd { color: var(--ink); font-weight: 640; }
h2 { padding-top: .75rem; border-top: 1px solid var(--line); font-size: 1rem; font-weight: 640; }
h2 + dl { border-top: 0; padding-top: .25rem; }
dt small { display: block; font-size: .875rem; color: var(--quiet); }
.note { margin-top: .5rem; padding: .875rem 1rem; border-radius: .75rem; background: var(--paper); white-space: pre-line; overflow-wrap: anywhere; }
.number { margin-top: 1rem; padding-top: .875rem; border-top: 1px dashed var(--line); font-size: .8125rem; color: var(--quiet); text-align: center; overflow-wrap: anywhere; }
footer { padding: .5rem 1.5rem 1.5rem; text-align: center; color: var(--quiet); font-size: .8125rem; }
.plain main { flex: none; margin: auto; padding: 2.5rem 1.5rem; text-align: center; }
.plain svg { width: 6rem; height: auto; color: var(--quiet); margin-bottom: 1rem; }
.plain .quiet { font-size: 1rem; text-wrap: pretty; }
@media (min-width: 40rem) {
  .hero { height: 13rem; }
  .brand { padding-top: 1.75rem; }
  .brand img { max-width: 15rem; max-height: 4.5rem; }
  main { margin-top: -5.5rem; padding-bottom: 2.5rem; }
  .slip { padding: 2.25rem 2.25rem 1.75rem; }
}
@media (forced-colors: active) { .slip { border: 1px solid; } }
@media print {
  :root { color-scheme: light; --paper: #fff; --ink: #000; --quiet: #333; --line: #999; --slip: #fff; --shadow: none; }
  @page { margin: 1.5cm; }
  .hero { height: auto; background: none; color: #000; }
  .brand { padding: 0; }
  .brand img { display: none; }
  .brand .hidden { position: static; width: auto; height: auto; clip-path: none; }
  main { margin: 0 auto; padding: 0; }
  .slip { padding: 1rem 0; border-radius: 0; }
  tr, dl div, .note { break-inside: avoid; }
  .note { padding: .5rem 0; }
  footer { display: none; }
}
`;

const hashOf = (text: string) => `'sha256-${hash("sha256", text, "base64")}'`;

export type PageStyle = {
  /** The contents of the style elements. */
  readonly sheets: readonly string[];
  /** For the Content-Security-Policy: no other style is applied. */
  readonly hashes: readonly string[];
};

const COMMON: PageStyle = { sheets: [STYLE], hashes: [hashOf(STYLE)] };

const HEX = /^#[0-9A-Fa-f]{6}$/;
/** WCAG asks for this contrast for texts of usual size. */
const CONTRAST_MIN = 4.5;

/** `background` is the colour of the tenant's card; texts on it are white or black. */
export function styleFor(background: string | undefined): PageStyle {
  if (background === undefined || !HEX.test(background)) return COMMON;
  const ink = contrast(background, "#ffffff") >= CONTRAST_MIN ? "#ffffff" : "#000000";
  const own = `:root{--card:${background};--card-ink:${ink}}`;
  return { sheets: [...COMMON.sheets, own], hashes: [...COMMON.hashes, hashOf(own)] };
}
