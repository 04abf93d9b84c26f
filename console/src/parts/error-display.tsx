import { Alert, Button, Group, List, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { ApiProblem, Unreachable } from "../api/problem.ts";
import { useWords } from "../words/language.ts";
import { CopyIcon } from "./copy.tsx";
import classes from "./parts.module.css";
import { words } from "./words.ts";

type Props = {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** Fields that show their own problems. */
  readonly shownFields?: readonly string[];
};

/** What went wrong, in the API's own words, with the id by which the log knows the request. */
export function ErrorDisplay({ error, onRetry, shownFields = [] }: Props) {
  const w = useWords(words);
  if (error === undefined || error === null) return undefined;
  const problem = error instanceof ApiProblem ? error : undefined;
  const isAway = error instanceof Unreachable;
  const others = Object.entries(problem?.fields ?? {}).filter(
    ([path]) => !shownFields.includes(path),
  );
  const text = isAway ? w.connectionText : error instanceof Error ? error.message : String(error);
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={20} stroke={1.6} />}
      title={isAway ? w.connection : problem?.title}
    >
      <Text size="sm">{text}</Text>
      {others.length > 0 && (
        <List size="sm" mt="xs">
          {others.map(([path, reasons]) => (
            <List.Item key={path}>
              <code className={classes.mono}>{path}</code> {reasons.join(" ")}
            </List.Item>
          ))}
        </List>
      )}
      <Group gap="xs" mt="xs" justify="space-between">
        {problem !== undefined && problem.requestId !== "" && (
          <Group gap={4}>
            <Text size="xs" c="dimmed">
              {w.requestId} <code className={classes.mono}>{problem.requestId}</code>
            </Text>
            <CopyIcon value={problem.requestId} />
          </Group>
        )}
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {w.tryAgain}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
