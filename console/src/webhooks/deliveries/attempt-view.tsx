import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { CodeBlock } from "../../parts/copy.tsx";
import { prettyJson } from "../../parts/pretty-json.ts";
import { useWords } from "../../words/language.ts";
import classes from "../webhooks.module.css";
import type { Attempt } from "./delivery.ts";
import { useDuration } from "./duration.ts";
import { words } from "./words.ts";

/** What was sent and what came back, of one attempt. */
export function AttemptView({ attempt }: { attempt: Attempt }) {
  const w = useWords(words);
  const { request, response, error } = attempt;
  return (
    <Stack gap="md">
      <Timing attempt={attempt} />
      {error !== null && (
        <Text size="sm" role="status">
          {error.message} <code className={classes.mono}>{error.code}</code>
        </Text>
      )}
      <Text size="sm" className={classes.url}>
        <b>POST</b> {request.url}
      </Text>
      <Headers title={w.requestHeaders} headers={request.headers} />
      {response === null && error === null && <Text size="sm">{w.erased}</Text>}
      {response !== null && (
        <>
          <Headers title={w.responseHeaders} headers={response.headers} />
          <Part title={w.responseBody}>
            {response.body === "" ? (
              <Text size="sm" c="dimmed">
                {w.noBody}
              </Text>
            ) : (
              <div className={classes.tall}>
                <CodeBlock code={prettyJson(response.body)} label={w.responseBody} />
              </div>
            )}
            {response.bodyWasCut && (
              <Text size="xs" c="dimmed" mt={4}>
                {w.cut}
              </Text>
            )}
          </Part>
        </>
      )}
    </Stack>
  );
}

/** How long it took, and how much of it went to the connection. */
function Timing({ attempt: { durationMs, connectMs } }: { attempt: Attempt }) {
  const w = useWords(words);
  const duration = useDuration();
  const share = Math.min((connectMs ?? 0) / Math.max(durationMs, 1), 1);
  const told =
    connectMs === undefined
      ? `${w.took(duration(durationMs))}, ${w.reused}`
      : `${w.took(duration(durationMs))}, ${w.connectTook(duration(connectMs))}`;
  return (
    <div>
      <div className={classes.timing} aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </div>
      <Text size="xs" c="dimmed" mt={4}>
        {told}
      </Text>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <Text size="sm" fw={600} mb={6}>
        {title}
      </Text>
      {children}
    </div>
  );
}

function Headers({ title, headers }: { title: string; headers: Readonly<Record<string, string>> }) {
  const lines = Object.entries(headers);
  if (lines.length === 0) return undefined;
  return (
    <Part title={title}>
      <dl className={classes.headers}>
        {lines.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}
