import { Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { GROUPS } from "../frame/groups.ts";
import type { AnyPage } from "../page.ts";
import { useText } from "../words/language.ts";
import { useDocumentTitle } from "./document-title.ts";
import classes from "./parts.module.css";

type Props = {
  readonly page: AnyPage;
  /** One sentence that says what the page is for. */
  readonly lead?: string;
  readonly title?: string;
  readonly actions?: ReactNode;
};

/** The top of a page: where one is, what this is, and what one can do here. */
export function PageHead({ page, lead, title, actions }: Props) {
  const text = useText();
  const group = GROUPS[page.group];
  const heading = title ?? text(page.title);
  useDocumentTitle(heading);
  return (
    <header className={classes.head}>
      <div className={classes.headText}>
        {group !== undefined && (
          <Text size="sm" c="dimmed">
            {text(group).replace(" · ", " › ")}
          </Text>
        )}
        <Title order={1}>{heading}</Title>
        {lead !== undefined && (
          <Text c="dimmed" mt={4}>
            {lead}
          </Text>
        )}
      </div>
      <Group gap="xs" className={classes.headActions}>
        {actions}
      </Group>
    </header>
  );
}
