import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "react";
import classes from "../templates.module.css";
import { look } from "./theme.ts";

type Props = {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly label: string;
};

/** What changes in a file, line by line, with the lines around it. */
export function DiffView({ path, before, after, label }: Props) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current === null) return;
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: after,
        extensions: [
          look,
          lineNumbers(),
          path.endsWith(".json") ? json() : yaml(),
          EditorView.lineWrapping,
          EditorView.editable.of(false),
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          unifiedMergeView({
            original: before,
            mergeControls: false,
            collapseUnchanged: { margin: 3, minSize: 6 },
          }),
        ],
      }),
    });
    return () => view.destroy();
  }, [path, before, after, label]);
  return <div ref={place} className={classes.diff} />;
}
