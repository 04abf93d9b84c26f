import { autocompletion, closeBrackets, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { useEffect, useRef } from "react";
import type { FindingWords } from "../../parts/findings/finding-words.ts";
import { useFindingWords } from "../../parts/findings/use-finding-words.ts";
import type { Finding } from "../../parts/pass-preview/shapes.ts";
import classes from "../templates.module.css";
import { complete } from "./completion.ts";
import { look } from "./theme.ts";

export type CodeEditorProps = {
  readonly path: string;
  readonly value: string;
  readonly label: string;
  readonly isReadOnly: boolean;
  readonly findings: readonly Finding[];
  /** What texts of the template can read. */
  readonly variables: readonly string[];
  /** Where the cursor should go; a new object each time. */
  readonly target: { readonly line: number; readonly column: number } | undefined;
  readonly onChange: (value: string) => void;
};

export function CodeEditor(props: CodeEditorProps) {
  const { path, value, findings, target } = props;
  const wordsOf = useFindingWords();
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;
  // Each file keeps its own steps to undo, as long as the page is open.
  const states = useRef(new Map<string, EditorState>());

  // biome-ignore lint/correctness/useExhaustiveDependencies: another file is another editor; all else is told to it below.
  useEffect(() => {
    if (place.current === null) return;
    const known = states.current.get(path);
    const isKnown = known?.doc.toString() === latest.current.value;
    const state = isKnown && known !== undefined ? known : newState(path, latest);
    const made = new EditorView({ state, parent: place.current });
    view.current = made;
    return () => {
      states.current.set(path, made.state);
      made.destroy();
      view.current = undefined;
    };
  }, [path, props.isReadOnly]);

  // What somebody else published, or an undo outside of the editor.
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined) return;
    const own = findings.filter(({ file }) => file === path);
    const marks = own.map((finding) => toDiagnostic(editor.state, finding, wordsOf(finding)));
    editor.dispatch(setDiagnostics(editor.state, marks));
  }, [findings, path, wordsOf]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a target may lie in a file that is being opened.
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || target === undefined) return;
    const line = editor.state.doc.line(Math.min(target.line, editor.state.doc.lines));
    const at = Math.min(line.from + target.column - 1, line.to);
    editor.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at) });
    editor.focus();
  }, [target, path]);

  return <div ref={place} className={classes.code} />;
}

function newState(path: string, latest: { readonly current: CodeEditorProps }): EditorState {
  const { value, isReadOnly, label } = latest.current;
  const tell = EditorView.updateListener.of(({ docChanged, state }) => {
    if (!docChanged) return;
    const text = state.doc.toString();
    if (text !== latest.current.value) latest.current.onChange(text);
  });
  const extensions: Extension[] = [
    look,
    lineNumbers(),
    lintGutter(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    autocompletion({ override: [complete(path, () => latest.current.variables)] }),
    keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, ...searchKeymap]),
    path.endsWith(".json") ? json() : yaml(),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    EditorState.readOnly.of(isReadOnly),
    tell,
  ];
  return EditorState.create({ doc: value, extensions });
}

function toDiagnostic(
  { doc }: EditorState,
  { line, column, severity }: Finding,
  words: FindingWords,
): Diagnostic {
  const found = doc.line(Math.min(line ?? 1, doc.lines));
  const from = Math.min(found.from + (column ?? 1) - 1, found.to);
  const word = /^[\w.'"-]+/.exec(doc.sliceString(from, found.to))?.[0].length ?? 0;
  const message = `${words.summary}\n${words.hint}`;
  return { from, to: from + word, severity, message, renderMessage: () => drawWords(words) };
}

/** Lines of their own, because they may be in two languages. */
function drawWords({ summary, hint, language, exact }: FindingWords): Node {
  const drawn = document.createDocumentFragment();
  const add = (text: string, lang: string, className = "") => {
    const line = document.createElement("div");
    Object.assign(line, { textContent: text, lang, className });
    drawn.append(line);
  };
  add(summary, language);
  add(hint, language);
  if (exact !== undefined) add(exact, "en", classes.exact);
  return drawn;
}
