import { Button, Checkbox, Group, Input, SimpleGrid, Stack, Text } from "@mantine/core";
import picker from "../parts/form/picker.module.css";
import { usePerson } from "../session/session.ts";
import { useText, useWords } from "../words/language.ts";
import classes from "./api-keys.module.css";
import { ALL_SCOPES, PRESETS, SCOPE_GROUPS, type ScopeName, type ScopeWords } from "./scopes.ts";
import { words } from "./words.ts";

type Props = {
  readonly chosen: readonly ScopeName[];
  readonly onChange: (scopes: ScopeName[]) => void;
  readonly error?: string | undefined;
};

/** Scopes in groups and plain words. What the person lacks cannot be given, and says so. */
export function ScopePicker({ chosen, onChange, error }: Props) {
  const w = useWords(words);
  const text = useText();
  const set = new Set(chosen);
  // In the order of the catalogue, so that equal choices are equal lists.
  const give = (names: ReadonlySet<ScopeName>) =>
    onChange(ALL_SCOPES.map(({ name }) => name).filter((name) => names.has(name)));
  const toggle = (name: ScopeName, isOn: boolean) => {
    const next = new Set(set);
    if (isOn) next.add(name);
    else next.delete(name);
    give(next);
  };
  return (
    <fieldset
      className={picker.picker}
      aria-describedby="scopes-hint"
      data-problem={error}
      tabIndex={-1}
    >
      <Group justify="space-between" align="baseline">
        <legend className={picker.legend}>
          {w.scopes} <span aria-hidden="true">*</span>
        </legend>
        <Text size="sm" c="dimmed" aria-live="polite">
          {w.scopeCount(set.size)}
        </Text>
      </Group>
      <Text id="scopes-hint" size="xs" c="dimmed">
        {w.scopesHint}
      </Text>
      <Group gap={6} my="sm">
        <Text size="sm" c="dimmed">
          {w.presets}
        </Text>
        {PRESETS.map(({ title, scopes }) => (
          <Button
            key={title.en}
            size="compact-sm"
            variant="default"
            radius="xl"
            onClick={() => give(new Set(scopes))}
          >
            {text(title)}
          </Button>
        ))}
      </Group>
      {error !== undefined && <Input.Error mb="xs">{error}</Input.Error>}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="md">
        {SCOPE_GROUPS.map(({ title, scopes }) => (
          <Stack key={title.en} gap={6} className={classes.group}>
            <Text fw={600} size="sm">
              {text(title)}
            </Text>
            {scopes.map((scope) => (
              <ScopeBox
                key={scope.name}
                scope={scope}
                isOn={set.has(scope.name)}
                onToggle={toggle}
              />
            ))}
          </Stack>
        ))}
      </SimpleGrid>
    </fieldset>
  );
}

type BoxProps = {
  readonly scope: ScopeWords;
  readonly isOn: boolean;
  readonly onToggle: (name: ScopeName, isOn: boolean) => void;
};

function ScopeBox({ scope: { name, bearer, meaning }, isOn, onToggle }: BoxProps) {
  const w = useWords(words);
  const text = useText();
  const { scopes } = usePerson();
  const isHeld = scopes.has(bearer);
  return (
    <Checkbox
      size="sm"
      checked={isOn}
      disabled={!isHeld}
      onChange={(event) => onToggle(name, event.currentTarget.checked)}
      label={text(meaning)}
      description={isHeld ? <code className={classes.scopeName}>{name}</code> : w.lacksScope(name)}
    />
  );
}
