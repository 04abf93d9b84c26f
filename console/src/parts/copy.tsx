import { ActionIcon, CopyButton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy, IconTerminal2 } from "@tabler/icons-react";
import { type CurlRequest, curlOf } from "../api/curl.ts";
import { useWords } from "../words/language.ts";
import classes from "./parts.module.css";
import { words } from "./words.ts";

type CopyProps = { readonly value: string; readonly label?: string };

export function CopyIcon({ value, label }: CopyProps) {
  const w = useWords(words);
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => {
        const name = copied ? w.copied : (label ?? w.copy);
        return (
          <Tooltip label={name}>
            <ActionIcon
              variant="subtle"
              color={copied ? "teal" : "gray"}
              onClick={copy}
              aria-label={name}
            >
              {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            </ActionIcon>
          </Tooltip>
        );
      }}
    </CopyButton>
  );
}

/** The request behind a page or an action, for a terminal. */
export function CurlIcon(request: CurlRequest) {
  const w = useWords(words);
  return (
    <CopyButton value={curlOf(request)}>
      {({ copied, copy }) => {
        const name = copied ? w.copied : w.copyCurl;
        return (
          <Tooltip label={name}>
            <ActionIcon
              variant="default"
              size={36}
              onClick={copy}
              aria-label={name}
              color={copied ? "teal" : "gray"}
            >
              {copied ? <IconCheck size={18} /> : <IconTerminal2 size={18} stroke={1.6} />}
            </ActionIcon>
          </Tooltip>
        );
      }}
    </CopyButton>
  );
}

export function CodeBlock({ code, label }: { readonly code: string; readonly label?: string }) {
  const w = useWords(words);
  return (
    <div className={classes.codeBlock}>
      {/* Long lines scroll, and whoever uses the keyboard must be able to scroll them, too. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls. */}
      <section tabIndex={0} aria-label={label ?? w.details}>
        <pre>{code}</pre>
      </section>
      <span className={classes.codeCopy}>
        <CopyIcon value={code} />
      </span>
    </div>
  );
}
