import { Text, Title } from "@mantine/core";
import type { ComponentType, ReactNode } from "react";
import { CodeBlock } from "./copy.tsx";
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
export function EmptyState({ icon: Icon, title, text, action, command }: Props) {
  return (
    <div className={classes.empty}>
      {Icon !== undefined && (
        <span className={classes.emptyIcon}>
          <Icon size={26} stroke={1.5} />
        </span>
      )}
      <Title order={2}>{title}</Title>
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
