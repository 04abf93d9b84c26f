import { Text, Title } from "@mantine/core";
import type { ComponentType, ReactNode } from "react";
import { CodeBlock } from "./copy.tsx";
import { useDocumentTitle } from "./document-title.ts";
import classes from "./parts.module.css";

type Props = {
  readonly icon?: ComponentType<{ size?: number; stroke?: number }>;
  readonly title: string;
  /** One sentence: what this is, and why one would want it. */
  readonly text: string;
  readonly action?: ReactNode;
  /** The same from a terminal. */
  readonly command?: string;
};

/** What stands where nothing is yet. It teaches instead of saying "no data". */
export function EmptyState(props: Props) {
  return <Empty {...props} order={2} />;
}

/** The same where it is all that the page has: its title is the title of the page. */
export function EmptyPage(props: Props) {
  useDocumentTitle(props.title);
  return <Empty {...props} order={1} />;
}

function Empty({ icon: Icon, title, text, action, command, order }: Props & { order: 1 | 2 }) {
  return (
    <div className={classes.empty}>
      {Icon !== undefined && (
        <span className={classes.emptyIcon}>
          <Icon size={26} stroke={1.5} />
        </span>
      )}
      <Title order={order}>{title}</Title>
      <Text c="dimmed" maw={440}>
        {text}
      </Text>
      {action}
      {command !== undefined && (
        <div style={{ maxWidth: "34rem", width: "100%", marginTop: "0.75rem" }}>
          <CodeBlock code={command} />
        </div>
      )}
    </div>
  );
}
