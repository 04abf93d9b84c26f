import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { styleNonce } from "../../settings.ts";

/*
 * The colours are variables of the page, so the editor follows it from light to dark without being
 * made anew.
 */

const theme = EditorView.theme({
  "&": {
    height: "100%",
    backgroundColor: "var(--mantine-color-body)",
    color: "var(--mantine-color-text)",
    fontSize: "0.8125rem",
  },
  "&.cm-focused": {
    outline: "2px solid var(--mantine-primary-color-filled)",
    outlineOffset: "-2px",
  },
  ".cm-scroller": { fontFamily: "var(--mantine-font-family-monospace)", lineHeight: "1.6" },
  ".cm-content": { caretColor: "var(--mantine-color-text)" },
  ".cm-cursor": { borderLeftColor: "var(--mantine-color-text)" },
  ".cm-gutters": {
    backgroundColor: "var(--mantine-color-body)",
    color: "var(--mantine-color-dimmed)",
    border: "none",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--editor-line)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { backgroundColor: "var(--editor-selection)" },
  ".cm-tooltip": {
    backgroundColor: "var(--mantine-color-body)",
    color: "var(--mantine-color-text)",
    border: "1px solid var(--line)",
    borderRadius: "var(--mantine-radius-sm)",
  },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--mantine-primary-color-filled)",
    color: "#ffffff",
  },
  ".cm-completionInfo": { maxWidth: "20rem", padding: "0.4rem 0.6rem" },
  ".cm-panels": { backgroundColor: "var(--quiet)", color: "var(--mantine-color-text)" },
  ".cm-searchMatch": { backgroundColor: "var(--editor-match)" },
  ".cm-changedLine": { backgroundColor: "var(--editor-added) !important" },
  ".cm-deletedChunk": { backgroundColor: "var(--editor-removed)" },
  ".cm-deletedChunk .cm-deletedText, .cm-changedText": {
    background: "none",
    textDecoration: "none",
  },
  ".cm-collapsedLines": {
    background: "var(--quiet)",
    color: "var(--mantine-color-text)",
  },
});

const highlighting = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--editor-key)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--editor-string)" },
  {
    tag: [tags.number, tags.bool, tags.null, tags.keyword, tags.atom],
    color: "var(--editor-atom)",
  },
  { tag: [tags.comment, tags.lineComment], color: "var(--mantine-color-dimmed)" },
  { tag: [tags.punctuation, tags.separator], color: "var(--mantine-color-dimmed)" },
]);

/** What every editor of the page has. Its styles carry the nonce of the page. */
export const look: Extension = [
  EditorView.cspNonce.of(styleNonce),
  theme,
  syntaxHighlighting(highlighting),
];
