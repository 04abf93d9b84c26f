import { Accordion, Badge, Group, Text } from "@mantine/core";
import { useFormat } from "../../words/format.ts";
import { useWords } from "../../words/language.ts";
import classes from "../webhooks.module.css";
import { AttemptView } from "./attempt-view.tsx";
import type { Attempt, Delivery } from "./delivery.ts";
import { useDuration } from "./duration.ts";
import { words } from "./words.ts";

const isSuccess = ({ status }: Attempt): boolean =>
  status !== null && status >= 200 && status < 300;

/** The attempts of a delivery along the time, the newest first and opened. */
export function AttemptList({ delivery }: { delivery: Delivery }) {
  const w = useWords(words);
  const format = useFormat();
  const { attempts, attemptCount, nextAttemptAt } = delivery;
  // Only the last thirty are kept.
  const firstNumber = attemptCount - attempts.length + 1;
  const numbered = attempts.map((attempt, at) => ({ attempt, number: firstNumber + at }));
  return (
    <div className={classes.timeline}>
      {nextAttemptAt !== null && (
        <Text size="sm" c="dimmed" pb="sm" data-next>
          {w.next(format.ago(nextAttemptAt))}
        </Text>
      )}
      {attempts.length === 0 && (
        <Text size="sm" c="dimmed">
          {w.noAttempts}
        </Text>
      )}
      <Accordion
        key={attemptCount}
        variant="separated"
        multiple
        defaultValue={[String(attemptCount)]}
      >
        {numbered.toReversed().map(({ attempt, number }) => (
          <Accordion.Item key={number} value={String(number)}>
            <Accordion.Control>
              <AttemptLine attempt={attempt} number={number} />
            </Accordion.Control>
            <Accordion.Panel>
              <AttemptView attempt={attempt} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </div>
  );
}

function AttemptLine({ attempt, number }: { attempt: Attempt; number: number }) {
  const w = useWords(words);
  const format = useFormat();
  const duration = useDuration();
  const reasons = { event: w.byEvent, retry: w.byRetry, manual: w.byManual, test: w.byTest };
  return (
    <Group gap="xs" wrap="wrap" pr="sm">
      <Badge color={isSuccess(attempt) ? "teal" : "red"} variant="light" tt="none">
        {attempt.status ?? w.noAnswer}
      </Badge>
      <Text size="sm" fw={600}>
        {w.attempt(number)}
      </Text>
      <Text size="sm" c="dimmed">
        {reasons[attempt.trigger]}
      </Text>
      <Text size="sm" c="dimmed" ml="auto">
        {format.moment(attempt.at)} · {duration(attempt.durationMs)}
      </Text>
    </Group>
  );
}
