import { Accordion, Badge, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconPlus, IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { CodeBlock } from "../parts/copy.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { covers } from "../parts/events/pattern.ts";
import {
  exampleBody,
  groupByNoun,
  type KnownEvent,
  useCatalogue,
} from "../parts/events/use-catalogue.ts";
import { prettyJson } from "../parts/pretty-json.ts";
import { ScopedButton } from "../parts/scoped.tsx";
import { settings } from "../settings.ts";
import { useWords } from "../words/language.ts";
import { page } from "./page.ts";
import classes from "./webhooks.module.css";
import { words } from "./words.ts";

const TYPING_MS = 200;

/** With a `*` it is a pattern; else it is looked for in names and meanings. */
export function findEvents(known: readonly KnownEvent[], text: string): readonly KnownEvent[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return known;
  if (wanted.includes("*")) return known.filter(({ name }) => covers(wanted, name));
  return known.filter(
    ({ name, meaning }) => name.includes(wanted) || meaning.toLowerCase().includes(wanted),
  );
}

/** Every event with its meaning and an example, and what a pattern covers. */
export function CatalogueView() {
  const w = useWords(words);
  const [search, setSearch] = usePageSearch(page);
  const [typed, setTyped] = useState(search.find ?? "");
  const known = useCatalogue();
  const keep = useDebouncedCallback(
    (text: string) => setSearch({ find: text === "" ? undefined : text }),
    TYPING_MS,
  );
  const found = findEvents(known, typed);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="center">
        <TextInput
          className={classes.find}
          type="search"
          aria-label={w.findEvents}
          placeholder={w.findEvents}
          data-filter
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            keep(event.currentTarget.value);
          }}
          leftSection={<IconSearch size={16} stroke={1.6} />}
        />
        <output className={classes.count}>{w.eventCount(found.length)}</output>
      </Group>
      {known.length > 0 && found.length === 0 && (
        <EmptyState title={w.nothingFound} text={w.nothingFoundText} />
      )}
      {groupByNoun(found).map(([noun, events]) => (
        <section key={noun} aria-label={noun}>
          <Title order={2} mb="xs" className={classes.noun}>
            {noun}
          </Title>
          <Accordion variant="separated" multiple>
            {events.map((event) => (
              <Entry key={event.name} event={event} />
            ))}
          </Accordion>
        </section>
      ))}
    </Stack>
  );
}

function Entry({ event }: { event: KnownEvent }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [, setSearch] = usePageSearch(page);
  const { name, meaning } = event;
  return (
    <Accordion.Item value={name}>
      <Accordion.Control>
        <span className={classes.eventName}>{name}</span>
        <Text size="sm" c="dimmed">
          {meaning}
        </Text>
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap="xs">
          <Group justify="space-between">
            <Badge variant="light" color="gray" tt="none">
              {w.example}
            </Badge>
            <ScopedButton
              operation="webhook.create"
              size="xs"
              variant="default"
              leftSection={<IconPlus size={14} />}
              onClick={() => setSearch({ new: name }, { isStep: true })}
            >
              {w.subscribe}
            </ScopedButton>
          </Group>
          <div className={classes.tall}>
            <CodeBlock
              label={`${w.example}: ${name}`}
              code={prettyJson(exampleBody(event, tenantId, settings.environment))}
            />
          </div>
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  );
}
