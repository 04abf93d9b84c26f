import { hash } from "node:crypto";

/** The style of all sign-in pages, which load no script, font or picture. */
const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f6f5f2; --card: #fff; --ink: #1c1b1f; --quiet: #5f5c66; --line: #d9d6cf;
  --field: #fff; --field-line: #8b8791; --accent: #2b4bd8; --accent-ink: #fff;
  --accent-strong: #1f39ac; --bad: #a4161a; --bad-paper: #fdf0ef; --scene: #1f2c6b; --shadow: 0 1px 2px rgb(28 27 31 / 6%), 0 12px 32px rgb(28 27 31 / 7%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #131316; --card: #1c1c21; --ink: #f1eff4; --quiet: #aaa6b3; --line: #34333b;
    --field: #131316; --field-line: #77737f; --accent: #93a7ff; --accent-ink: #10131f;
    --accent-strong: #b4c2ff; --bad: #ffb3ad; --bad-paper: #3a1c1c; --scene: #181d3d; --shadow: none;
  }
}
* { box-sizing: border-box; }
html { font: 100%/1.5 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
body { margin: 0; min-height: 100vh; min-height: 100dvh; background: var(--paper); color: var(--ink); display: grid; grid-template-rows: 1fr auto; }
main { width: 100%; max-width: 27rem; margin: 0 auto; padding: 3rem 1.25rem; align-self: center; }
.brand { display: flex; align-items: center; gap: .625rem; margin: 0 0 1.5rem; font-weight: 650; font-size: 1.0625rem; letter-spacing: -.01em; }
.brand svg { width: 1.75rem; height: 1.75rem; flex: none; }
.brand .back { fill: var(--accent); opacity: .35; }
.brand .front { fill: var(--accent); }
.brand .slot { fill: var(--accent-ink); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: 2rem; box-shadow: var(--shadow); }
h1 { margin: 0; font-size: 1.625rem; line-height: 1.2; font-weight: 640; letter-spacing: -.022em; text-wrap: balance; }
.lead { margin: .5rem 0 0; color: var(--quiet); text-wrap: pretty; }
form { margin-top: 1.625rem; display: grid; gap: 1.125rem; }
label { display: block; font-weight: 560; font-size: .9375rem; margin-bottom: .375rem; }
input { width: 100%; font: inherit; color: inherit; background: var(--field); border: 1px solid var(--field-line); border-radius: .625rem; padding: .6875rem .8125rem; }
input[readonly] { background: transparent; border-color: var(--line); color: var(--quiet); }
input[aria-invalid="true"] { border-color: var(--bad); }
.hint, .error { margin: .375rem 0 0; font-size: .875rem; }
.hint { color: var(--quiet); }
.error { color: var(--bad); }
.notice { margin: 1.25rem 0 0; padding: .75rem .875rem; border-radius: .625rem; background: var(--bad-paper); color: var(--bad); font-size: .9375rem; }
button, .button { font: inherit; font-weight: 600; display: block; width: 100%; text-align: center; text-decoration: none; border: 1px solid transparent; border-radius: .625rem; padding: .75rem 1rem; background: var(--accent); color: var(--accent-ink); cursor: pointer; }
button:hover, .button:hover { background: var(--accent-strong); }
button.quiet { background: transparent; color: inherit; border-color: var(--field-line); }
.actions { display: grid; gap: .75rem; margin-top: 1.625rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
footer { padding: 1.25rem; text-align: center; color: var(--quiet); font-size: .8125rem; overflow-wrap: anywhere; }
code { font: .875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.scene { display: none; }
@media (min-width: 64rem) {
  body { grid-template-columns: minmax(24rem, 5fr) 7fr; }
  .scene { display: grid; grid-row: 1 / 3; align-content: center; justify-items: center; gap: 2.5rem; padding: 3rem; background: var(--scene); color: #eef0fb; }
  .scene svg { width: min(100%, 25rem); height: auto; }
  .scene p { margin: 0; max-width: 22rem; font-size: 1.375rem; line-height: 1.35; letter-spacing: -.015em; font-weight: 540; text-align: center; text-wrap: balance; }
  .p1 { fill: #e9a15b; } .p2 { fill: #5f8f7b; } .p3 { fill: #fbfaf7; }
  .on { fill: #fff; } .p3 + .on { fill: #1c2240; } .on .faint { opacity: .45; }
  .tear { stroke: #1c2240; stroke-opacity: .25; stroke-width: 1.5; stroke-dasharray: 2 5; stroke-linecap: round; }
  .bars { fill: #1c2240; }
}
@media (max-width: 30rem) {
  body { background: var(--card); }
  main { padding: 2rem 1.25rem; align-self: start; }
  .card { border: 0; border-radius: 0; padding: 0; box-shadow: none; background: none; }
}
@media (forced-colors: active) { .card, button, .button { border: 1px solid; } }
`;

export const STYLE_ELEMENT = `<style>${STYLE}</style>`;
export const STYLE_HASH = `'sha256-${hash("sha256", STYLE, "base64")}'`;
