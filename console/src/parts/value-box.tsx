import { Button, CopyButton } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useWords } from "../words/language.ts";
import classes from "./value-box.module.css";
import { words } from "./words.ts";

type Props = {
  readonly value: string;
  readonly label: string;
  /** Whether the button has the focus when a dialog with this opens. */
  readonly takesFocus?: boolean;
};

/** A value that people take away from here, with the button that copies it. */
export function ValueBox({ value, label, takesFocus = true }: Props) {
  const w = useWords(words);
  return (
    // biome-ignore lint/a11y/useSemanticElements: the value and its button belong together.
    <div className={classes.box} role="group" aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long value scrolls, by keyboard as well. */}
      <code data-value tabIndex={0}>
        {value}
      </code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button
            size="xs"
            onClick={copy}
            data-autofocus={takesFocus || undefined}
            leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          >
            {copied ? w.copied : w.copy}
          </Button>
        )}
      </CopyButton>
    </div>
  );
}
