import { hash } from "node:crypto";
import type { PageStyle } from "#src/wallets/public.ts";

/** What the form adds to the style of the landing page. */
const STYLE = `
:root { --field: #fff; --field-line: #85828c; --accent: #1f4fd8; --bad-line: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --field: #17171b; --field-line: #8d8a96; --accent: #9db8ff; --bad-line: #ff8f87; } }
.brand { display: flex; align-items: flex-start; justify-content: space-between; gap: 1rem; }
.brand > nav { flex: none; max-width: 62%; }
.languages { display: flex; flex-wrap: wrap; justify-content: flex-end; gap: .125rem; margin: 0; padding: .1875rem; list-style: none; font-size: .8125rem; font-weight: 560; letter-spacing: 0; }
.languages a, .languages span { display: block; padding: .25rem .6875rem; white-space: nowrap; border-radius: 999px; color: inherit; text-decoration: none; }
.languages a:hover { text-decoration: underline; }
.languages span { background: rgb(255 255 255 / 22%); background: color-mix(in srgb, currentcolor 18%, transparent); }
.covered .languages { background: rgb(0 0 0 / 62%); color: #fff; border-radius: 1.25rem; }
.covered .languages span { padding: .25rem .6875rem; background: rgb(255 255 255 / 24%); }
.form .brand img { max-width: min(11rem, 40vw); }
.form main { gap: 1.5rem; }
.form .pass { max-height: 7.25rem; border-bottom-left-radius: 0; border-bottom-right-radius: 0; mask-image: linear-gradient(#000 70%, transparent); }
.sheet { width: 100%; max-width: 30rem; padding: 1.75rem 1.375rem 1.5rem; border: 1px solid var(--line); border-radius: 1.25rem; background: var(--panel); box-shadow: var(--shadow); display: grid; gap: 1.5rem; }
.form .pass + .sheet { margin-top: -3.5rem; position: relative; }
.sheet .heading { text-align: left; }
.sheet .lead { margin-top: .25rem; }
.sheet form { display: grid; gap: 1.25rem; }
.field { display: grid; gap: .375rem; }
.field label, .field .label { font-weight: 600; font-size: .9375rem; overflow-wrap: anywhere; }
.optional { font-weight: 400; color: var(--quiet); }
.hint { color: var(--quiet); font-size: .875rem; }
.field input, .field select { width: 100%; min-width: 0; min-height: 3rem; padding: .625rem .875rem; border: 1px solid var(--field-line); border-radius: .75rem; background: var(--field); color: var(--ink); font: inherit; font-size: 1rem; }
.field input[type="date"] { appearance: none; text-align: left; }
.field select { appearance: none; padding-right: 2.75rem; background-image: linear-gradient(45deg, transparent 50%, var(--quiet) 50%), linear-gradient(-45deg, transparent 50%, var(--quiet) 50%); background-size: .4rem .4rem; background-position: calc(100% - 1.35rem) 55%, calc(100% - .95rem) 55%; background-repeat: no-repeat; }
.field input:focus-visible, .field select:focus-visible { outline: 3px solid #4f76ff; outline-offset: 1px; border-color: transparent; }
.wrong input, .wrong select { border-color: var(--bad-line); border-width: 2px; }
.error { color: var(--bad-line); font-size: .875rem; font-weight: 560; display: flex; gap: .4rem; overflow-wrap: anywhere; }
.error::before { content: "!"; flex: none; width: 1.15rem; height: 1.15rem; margin-top: .08rem; border-radius: 50%; background: var(--bad-line); color: var(--panel); font-size: .8125rem; font-weight: 700; line-height: 1.15rem; text-align: center; }
.tick { display: grid; grid-template-columns: auto 1fr; gap: .25rem .75rem; align-items: start; }
.tick input { width: 1.5rem; height: 1.5rem; min-height: 0; margin: 0; accent-color: var(--accent); }
.tick label { font-weight: 400; font-size: .9375rem; line-height: 1.5rem; overflow-wrap: anywhere; }
.tick .error, .tick .hint { grid-column: 2; }
.hint a, .sheet .known a { color: var(--accent); font-weight: 560; }
.consents { display: grid; gap: 1rem; margin: 0; padding: 1.25rem 0 0; border: 0; border-top: 1px solid var(--line); }
.sheet button { width: 100%; justify-content: center; font: inherit; font-weight: 620; cursor: pointer; }
.summary { padding: .9375rem 1.0625rem; border-radius: .875rem; background: var(--bad-paper); color: var(--bad); display: grid; gap: .5rem; font-size: .9375rem; }
.summary h2 { font-size: 1rem; line-height: 1.35; font-weight: 650; }
.summary ul { margin: 0; padding-left: 1.1rem; display: grid; gap: .25rem; }
.summary a { color: inherit; }
.check { min-height: 4.0625rem; display: grid; gap: .5rem; }
.check:has(> .quiet) { min-height: 0; }
@media (min-width: 56rem) {
  .form main { grid-template-columns: minmax(0, 21rem) minmax(0, 30rem); column-gap: 3.5rem; }
  .form .pass { max-height: none; mask-image: none; border-radius: 1rem; position: sticky; top: 2rem; }
  .form .pass + .sheet { margin-top: 0; }
  .sheet { grid-column: 2; grid-row: 1 / 3; padding: 2.25rem 2.25rem 2rem; }
  .form.single main { grid-template-columns: minmax(0, 32rem); }
  .form.single .sheet { grid-column: 1; max-width: none; }
}
@media (forced-colors: active) { .sheet, .summary { border: 1px solid; } .error::before { border: 1px solid; } }
`;

const HASH = `'sha256-${hash("sha256", STYLE, "base64")}'`;

export function withFormStyle({ sheets, hashes }: PageStyle): PageStyle {
  return { sheets: [...sheets, STYLE], hashes: [...hashes, HASH] };
}
