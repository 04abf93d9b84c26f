import {
  Accordion,
  Button,
  Checkbox,
  CloseButton,
  Group,
  Input,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { type KeyboardEvent, useState } from "react";
import { covers, coversPattern } from "../parts/events/pattern.ts";
import { groupByNoun, type KnownEvent, useCatalogue } from "../parts/events/use-catalogue.ts";
import picker from "../parts/form/picker.module.css";
import { useWords } from "../words/language.ts";
import classes from "./webhooks.module.css";
import { words } from "./words.ts";

const EVERYTHING = "*";

type Props = {
  readonly chosen: readonly string[];
  readonly onChange: (patterns: string[]) => void;
  readonly error?: string | undefined;
};

/** Events by what they are about. A group as a whole is a pattern, which also covers events to come. */
export function EventPicker({ chosen, onChange, error }: Props) {
  const w = useWords(words);
  const known = useCatalogue();
  const groups = groupByNoun(known);
  const [opened, setOpened] = useState(() =>
    chosen.length === 0 ? ["pass"] : chosen.map((pattern) => pattern.split(/[.:*]/)[0] ?? ""),
  );
  const toggle = (pattern: string, isOn: boolean) =>
    onChange(isOn ? add(chosen, pattern) : chosen.filter((other) => other !== pattern));
  return (
    <fieldset
      className={picker.picker}
      aria-describedby="events-hint"
      data-problem={error}
      tabIndex={-1}
    >
      <legend className={picker.legend}>
        {w.events} <span aria-hidden="true">*</span>
      </legend>
      <Text id="events-hint" size="xs" c="dimmed">
        {w.eventsHint}
      </Text>
      <Chosen chosen={chosen} onRemove={(pattern) => toggle(pattern, false)} />
      {error !== undefined && <Input.Error my="xs">{error}</Input.Error>}
      <Checkbox
        my="sm"
        label={w.allEvents}
        description={<code className={classes.mono}>*</code>}
        checked={chosen.includes(EVERYTHING)}
        onChange={(event) => toggle(EVERYTHING, event.currentTarget.checked)}
      />
      <Accordion multiple value={opened} onChange={setOpened} className={classes.groups}>
        {groups.map(([noun, events]) => (
          <NounGroup key={noun} noun={noun} events={events} chosen={chosen} onToggle={toggle} />
        ))}
      </Accordion>
      <OwnPattern known={known} onAdd={(pattern) => toggle(pattern, true)} />
    </fieldset>
  );
}

/** A pattern takes the place of what it covers. */
function add(chosen: readonly string[], pattern: string): string[] {
  if (chosen.includes(pattern)) return [...chosen];
  return [...chosen.filter((other) => !coversPattern(pattern, other)), pattern];
}

type ChosenProps = {
  readonly chosen: readonly string[];
  readonly onRemove: (pattern: string) => void;
};

function Chosen({ chosen, onRemove }: ChosenProps) {
  const w = useWords(words);
  if (chosen.length === 0) return undefined;
  return (
    <Group gap={6} mt="xs" component="ul" className={classes.chosen} aria-label={w.chosen}>
      {chosen.map((pattern) => (
        <li key={pattern}>
          <code>{pattern}</code>
          <CloseButton size="xs" aria-label={w.remove(pattern)} onClick={() => onRemove(pattern)} />
        </li>
      ))}
    </Group>
  );
}

type GroupProps = {
  readonly noun: string;
  readonly events: readonly KnownEvent[];
  readonly chosen: readonly string[];
  readonly onToggle: (pattern: string, isOn: boolean) => void;
};

function NounGroup({ noun, events, chosen, onToggle }: GroupProps) {
  const w = useWords(words);
  const whole = `${noun}.*`;
  const coveredBy = (name: string) =>
    chosen.find((pattern) => pattern !== name && covers(pattern, name));
  const count = events.filter(
    ({ name }) => chosen.includes(name) || coveredBy(name) !== undefined,
  ).length;
  const wholeCover = chosen.find((pattern) => pattern !== whole && coversPattern(pattern, whole));
  return (
    <Accordion.Item value={noun}>
      <Accordion.Control>
        <Group justify="space-between" pr="sm">
          <span className={classes.eventName}>{noun}</span>
          <Text size="xs" c="dimmed">
            {count} / {events.length}
          </Text>
        </Group>
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap="xs">
          <Checkbox
            size="sm"
            label={w.allOf(noun)}
            description={<code className={classes.mono}>{whole}</code>}
            checked={chosen.includes(whole) || wholeCover !== undefined}
            disabled={wholeCover !== undefined}
            onChange={(event) => onToggle(whole, event.currentTarget.checked)}
          />
          {events.map(({ name, meaning }) => {
            const cover = coveredBy(name);
            return (
              <Checkbox
                key={name}
                size="sm"
                label={<code className={classes.mono}>{name}</code>}
                description={cover === undefined ? meaning : w.coveredBy(cover)}
                checked={chosen.includes(name) || cover !== undefined}
                disabled={cover !== undefined}
                onChange={(event) => onToggle(name, event.currentTarget.checked)}
              />
            );
          })}
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  );
}

type OwnProps = {
  readonly known: readonly KnownEvent[];
  readonly onAdd: (pattern: string) => void;
};

function OwnPattern({ known, onAdd }: OwnProps) {
  const w = useWords(words);
  const [typed, setTyped] = useState("");
  const pattern = typed.trim();
  const names = known.map(({ name }) => name).filter((name) => covers(pattern, name));
  const give = () => {
    if (pattern === "") return;
    onAdd(pattern);
    setTyped("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    give();
  };
  return (
    <div>
      <Group align="flex-end" mt="sm" wrap="nowrap">
        <TextInput
          flex={1}
          label={w.pattern}
          placeholder={w.patternHint}
          maxLength={200}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <Button variant="default" onClick={give} disabled={pattern === ""}>
          {w.addPattern}
        </Button>
      </Group>
      {pattern !== "" && (
        <Text size="xs" c="dimmed" mt={4} aria-live="polite">
          {names.length === 0
            ? w.coversNothing
            : `${w.coversThese(names.length)} ${names.join(", ")}`}
        </Text>
      )}
    </div>
  );
}
