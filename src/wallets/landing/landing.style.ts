import { hash } from "node:crypto";
import { contrast } from "#src/templates/language/public.ts";

/** The style of every page. The colours of a card follow in a style element of their own. */
const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f5f4f1; --ink: #1b1b1f; --quiet: #5c5a63; --line: #dcd9d2; --panel: #fff;
  --button: #101012; --button-ink: #fff; --button-line: #101012; --warn: #6b4300; --warn-paper: #fff3d6;
  --bad: #8f1d1d; --bad-paper: #fdecea;
  --shadow: 0 1px 2px rgb(20 20 30 / 12%), 0 18px 40px rgb(20 20 30 / 18%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #121215; --ink: #f2f0f5; --quiet: #b0adb9; --line: #35343c; --panel: #1d1d22;
    --button: #f2f0f5; --button-ink: #101012; --button-line: #f2f0f5; --warn: #ffdc97; --warn-paper: #3a2c10;
    --bad: #ffc4bf; --bad-paper: #431d1c;
    --shadow: 0 1px 2px rgb(0 0 0 / 50%), 0 18px 40px rgb(0 0 0 / 45%);
  }
}
* { box-sizing: border-box; }
html { font: 100%/1.5 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; -webkit-text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column; background: var(--paper); color: var(--ink); }
p, h1, h2, dl, dd { margin: 0; }
.hero { position: relative; height: 11.5rem; overflow: hidden; background: var(--card, #2c2c33); color: var(--card-ink, #fff); }
.hero .cover { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: cover; object-position: 50% 64%; }
.brand { position: relative; max-width: 56.5rem; margin: 0 auto; padding: 1.375rem 1.5rem; font-weight: 650; font-size: 1.125rem; letter-spacing: -.01em; }
.brand img { display: block; max-width: 11rem; max-height: 3.25rem; }
.covered .brand span { display: inline-block; padding: .25rem .75rem; border-radius: 999px; background: rgb(0 0 0 / 62%); color: #fff; }
main { flex: 1; width: 100%; max-width: 62rem; margin: -5.5rem auto 0; padding: 0 1.5rem 2.5rem; position: relative; display: grid; gap: 2rem; justify-items: center; align-content: start; }
.plain main { margin-top: 0; padding-top: 2.5rem; align-content: center; }
.plain .talk > svg { width: 8.5rem; height: auto; margin: 0 auto; color: var(--quiet); }
.pass { width: 100%; max-width: 23rem; border-radius: 1rem; overflow: hidden; background: var(--card); color: var(--card-ink); box-shadow: var(--shadow); }
.pass .top { display: flex; align-items: center; gap: .625rem; padding: .875rem 1rem; min-height: 4rem; }
.pass .top img { max-width: 8.5rem; height: 2.25rem; width: auto; object-fit: contain; flex: none; }
.pass .top .name { flex: 1; min-width: 0; font-weight: 600; font-size: 1.0625rem; overflow-wrap: anywhere; }
.pass .top dl { display: flex; gap: 1rem; text-align: right; margin-left: auto; }
.pass .strip { display: block; width: 100%; aspect-ratio: 375 / 144; object-fit: cover; }
.pass .main { display: flex; align-items: center; gap: 1rem; padding: .25rem 1rem .875rem; }
.pass .main dl { flex: 1; min-width: 0; display: grid; grid-auto-flow: column; grid-auto-columns: 1fr; gap: 1rem; }
.pass .main dd { font-size: 1.75rem; line-height: 1.15; letter-spacing: -.02em; font-weight: 500; }
.pass .main img { width: 5rem; height: auto; border-radius: .375rem; flex: none; }
.pass .rows { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem 1rem; padding: .875rem 1rem 1.125rem; }
.pass .rows > div:nth-child(even) { text-align: right; }
.pass dt { font-size: .6875rem; line-height: 1.3; letter-spacing: .045em; text-transform: uppercase; font-weight: 600; color: var(--card-label); overflow-wrap: anywhere; }
.pass dd { font-size: 1rem; line-height: 1.3; overflow-wrap: anywhere; }
.over .pass { filter: grayscale(1); }
.talk { width: 100%; max-width: 26rem; display: grid; gap: 1.25rem; text-align: center; }
.eyebrow { font-size: .875rem; font-weight: 600; color: var(--quiet); }
h1 { font-size: clamp(1.5rem, 1.25rem + 1.4vw, 2rem); line-height: 1.18; font-weight: 660; letter-spacing: -.024em; text-wrap: balance; overflow-wrap: anywhere; }
.lead { color: var(--quiet); text-wrap: pretty; }
.heading { display: grid; gap: .375rem; }
.actions { display: grid; gap: .75rem; }
.button { display: flex; align-items: center; justify-content: center; gap: .75rem; min-height: 3.5rem; padding: .75rem 1.25rem; border-radius: .875rem; border: 1px solid var(--button-line); background: var(--button); color: var(--button-ink); font-weight: 620; font-size: 1rem; line-height: 1.25; text-decoration: none; }
.button svg { width: 1.875rem; height: 1.875rem; flex: none; }
.button:hover { opacity: .88; }
.button.second { background: transparent; color: var(--ink); border-color: var(--ink); }
:focus-visible { outline: 3px solid #4f76ff; outline-offset: 3px; }
.note { padding: .9375rem 1.0625rem; border-radius: .875rem; background: var(--warn-paper); color: var(--warn); text-align: left; font-size: .9375rem; display: grid; gap: .25rem; }
.note strong { font-weight: 650; }
.note.bad { background: var(--bad-paper); color: var(--bad); }
.scan { width: 100%; max-width: 26rem; display: grid; grid-template-columns: auto 1fr; gap: 1.125rem; align-items: center; padding: 1.125rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--panel); text-align: left; }
.scan svg { width: 9rem; height: 9rem; margin: -.25rem; border-radius: .5rem; background: #fff; }
.scan h2 { font-size: 1rem; line-height: 1.3; font-weight: 640; }
.scan p { margin-top: .375rem; font-size: .9375rem; color: var(--quiet); }
footer { padding: 1.25rem 1.5rem 1.5rem; text-align: center; color: var(--quiet); font-size: .8125rem; }
@media (min-width: 56rem) {
  .hero { height: 18rem; }
  .brand { padding-top: 1.75rem; }
  .brand img { max-width: 15rem; max-height: 4.5rem; }
  main { margin-top: -7rem; grid-template-columns: minmax(0, 23rem) minmax(0, 26rem); grid-template-rows: auto 1fr; column-gap: 4.5rem; justify-content: center; align-items: start; padding-bottom: 4rem; }
  .talk { grid-column: 2; grid-row: 1 / 3; text-align: left; padding-top: 9.25rem; }
  .scan { grid-column: 1; }
  .plain main { grid-template: auto / minmax(0, 28rem); }
  .plain .talk { grid-column: 1; padding-top: 0; text-align: center; justify-self: center; }
  .button { justify-content: flex-start; }
}
@media (forced-colors: active) { .pass, .button, .note { border: 1px solid; } }
`;

const hashOf = (text: string) => `'sha256-${hash("sha256", text, "base64")}'`;

export type PageStyle = {
  /** The contents of the style elements. */
  readonly sheets: readonly string[];
  /** For the Content-Security-Policy: no other style is applied. */
  readonly hashes: readonly string[];
};

const COMMON: PageStyle = { sheets: [STYLE], hashes: [hashOf(STYLE)] };

type Colors = {
  readonly background?: string | undefined;
  readonly foreground?: string | undefined;
  readonly label?: string | undefined;
};

/** WCAG asks for this contrast for texts of usual size. Wallets are content with less. */
const CONTRAST_MIN = 4.5;
const HEX = /^#[0-9A-Fa-f]{6}$/;
const PLAIN = "#2c2c33";

/** The style of a page that shows a card in these colours. Colours that are hard to read change. */
export function styleFor(colors: Colors | undefined): PageStyle {
  if (colors === undefined) return COMMON;
  const { background = PLAIN } = colors;
  const card = HEX.test(background) ? background : PLAIN;
  const ink = readable(card, colors.foreground);
  const label = readable(card, colors.label ?? ink);
  const own = `:root{--card:${card};--card-ink:${ink};--card-label:${label}}`;
  return { sheets: [...COMMON.sheets, own], hashes: [...COMMON.hashes, hashOf(own)] };
}

function readable(background: string, color: string | undefined): string {
  const isGood = color !== undefined && HEX.test(color);
  if (isGood && contrast(background, color) >= CONTRAST_MIN) return color;
  return contrast(background, "#ffffff") >= CONTRAST_MIN ? "#ffffff" : "#000000";
}
