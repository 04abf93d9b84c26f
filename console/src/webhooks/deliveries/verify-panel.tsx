import { SegmentedControl, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CodeBlock } from "../../parts/copy.tsx";
import { useWords } from "../../words/language.ts";
import classes from "../webhooks.module.css";
import type { Delivery } from "./delivery.ts";
import { LANGUAGE_NAMES, LANGUAGES, type SnippetLanguage, signedOf } from "./snippets.ts";
import { words } from "./words.ts";

/** How to check the signature: of this delivery now, and of every delivery in a receiver. */
export function VerifyPanel({ delivery }: { delivery: Delivery }) {
  const w = useWords(words);
  const last = delivery.attempts.at(-1);
  const signed = last === undefined ? undefined : signedOf(last, delivery.body);
  const [language, setLanguage] = useState<SnippetLanguage>("shell");
  return (
    <Stack>
      {signed === undefined ? (
        <Text size="sm">{delivery.body === null ? w.bodyGone : w.noAttempts}</Text>
      ) : (
        <section className={classes.verify}>
          <Title order={3}>{w.thisDelivery}</Title>
          <Text size="sm" c="dimmed">
            {w.thisDeliveryText}
          </Text>
          <SegmentedControl
            my="xs"
            size="xs"
            aria-label={w.language}
            data={Object.entries(LANGUAGE_NAMES).map(([value, label]) => ({ value, label }))}
            value={language}
            onChange={(value) => setLanguage(value as SnippetLanguage)}
          />
          <div className={classes.tall}>
            <CodeBlock code={LANGUAGES[language](signed)} label={w.thisDelivery} />
          </div>
        </section>
      )}
      <ReceiverSnippets />
    </Stack>
  );
}

function ReceiverSnippets() {
  const w = useWords(words);
  const [language, setLanguage] = useState("JavaScript");
  const { data } = useQuery({
    queryKey: ["receiver-snippets"],
    queryFn: async () => (await import("./receiver-snippets.ts")).receiverSnippets,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data === undefined) return undefined;
  const shown = data.find(({ name }) => name === language);
  return (
    <section className={classes.verify}>
      <Title order={3}>{w.receiver}</Title>
      <Text size="sm" c="dimmed">
        {w.receiverText}
      </Text>
      <SegmentedControl
        my="xs"
        size="xs"
        aria-label={w.language}
        data={data.map(({ name }) => name)}
        value={language}
        onChange={setLanguage}
      />
      <div className={classes.tall}>
        <CodeBlock code={shown?.code ?? ""} label={w.receiver} />
      </div>
    </section>
  );
}
