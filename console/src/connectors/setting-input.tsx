import {
  ActionIcon,
  Autocomplete,
  Button,
  Group,
  Input,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  Switch,
  TagsInput,
  TextInput,
} from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTenantId } from "../navigation.tsx";
import { usePassTypes } from "../parts/pass-types.ts";
import { useLanguage, useWords } from "../words/language.ts";
import classes from "./connectors.module.css";
import { FIELD_WORDS } from "./field-words.ts";
import type { FieldValue, Pair, SettingField } from "./settings-schema.ts";
import { words } from "./words.ts";

type Props = {
  readonly field: SettingField;
  /** Whether a value of this secret is stored. */
  readonly isStored: boolean;
  readonly value: FieldValue;
  readonly error: ReactNode;
  readonly onChange: (value: FieldValue) => void;
};

/** One setting, as its kind wants to be entered. */
export function SettingInput(props: Props) {
  const { field, value, error, onChange } = props;
  const w = useWords(words);
  const common = { ...useTexts(field), error, required: field.isRequired };
  const example = field.example === undefined ? "" : String(field.example);
  switch (field.kind) {
    case "secret":
      return <SecretInput {...props} texts={common} />;
    case "switch":
      return (
        <Switch
          label={common.label}
          description={common.description}
          error={error}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case "choice":
      return (
        <Select
          {...common}
          data={[...field.choices]}
          value={value === "" ? null : String(value)}
          onChange={(chosen) => onChange(chosen ?? "")}
          clearable={!field.isRequired}
          placeholder={w.asItIs}
        />
      );
    case "number":
      return (
        <NumberInput
          {...common}
          value={value === "" ? "" : Number(value)}
          onChange={(typed) => onChange(String(typed))}
          min={field.minimum}
          max={field.maximum}
          placeholder={example}
        />
      );
    case "list":
      return (
        <TagsInput
          {...common}
          value={[...(value as readonly string[])]}
          onChange={onChange}
          placeholder={placeholderOf(field.example)}
          acceptValueOnBlur
        />
      );
    case "pairs":
      return <PairsInput {...props} texts={common} />;
    default:
      return field.path === "passType" ? (
        <PassTypeInput {...props} texts={common} />
      ) : (
        <TextInput
          {...common}
          value={String(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
          placeholder={example}
          autoComplete="off"
        />
      );
  }
}

const placeholderOf = (example: unknown): string =>
  Array.isArray(example) ? example.map(String).join(", ") : "";

type Texts = {
  readonly label: string;
  readonly description: string;
  readonly error: ReactNode;
  readonly required: boolean;
};

/** In English the API's own words explain a field; those of the console are their translation. */
function useTexts({ path, help }: SettingField) {
  const language = useLanguage();
  const known = FIELD_WORDS[path];
  const plain = help.replaceAll("`", "").replace(/ Kept as the secret .*$/, "");
  return {
    label: known?.label[language] ?? path.replaceAll("/", " › "),
    description: language === "fr" ? (known?.help ?? plain) : plain,
  };
}

function SecretInput({ isStored, value, onChange, texts }: Props & { readonly texts: Texts }) {
  const w = useWords(words);
  return (
    <PasswordInput
      {...texts}
      // The library marks the field for the eye alone.
      aria-invalid={texts.error ? true : undefined}
      description={`${texts.description} ${w.secretHint}`}
      placeholder={isStored ? w.stored : w.notStored}
      value={String(value)}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
      visibilityToggleButtonProps={{ "aria-label": w.reveal }}
    />
  );
}

function PassTypeInput({ field, value, onChange, texts }: Props & { readonly texts: Texts }) {
  const types = usePassTypes(useTenantId());
  return (
    <Autocomplete
      {...texts}
      data={[...types]}
      value={String(value)}
      onChange={onChange}
      placeholder={types[0] ?? String(field.example ?? "")}
    />
  );
}

/** Values of the pass, each with where the vendor has it. */
function PairsInput({ value, onChange, texts }: Props & { readonly texts: Texts }) {
  const w = useWords(words);
  const pairs = value as readonly Pair[];
  const change = (at: number, pair: Pair) =>
    onChange(pairs.map((old, index) => (index === at ? pair : old)));
  return (
    <fieldset className={classes.pairs} data-problem={texts.error ? true : undefined} tabIndex={-1}>
      <legend>{texts.label}</legend>
      <Input.Description>{texts.description}</Input.Description>
      <Stack gap="xs" mt="xs">
        {pairs.map((pair, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a pair whose name is being typed has no name.
          <Group key={at} gap="xs" wrap="nowrap">
            <TextInput
              flex={1}
              aria-label={w.pairName}
              placeholder={w.pairName}
              value={pair.name}
              onChange={(event) => change(at, { ...pair, name: event.currentTarget.value })}
            />
            <TextInput
              flex={1}
              aria-label={w.pairPath}
              placeholder={w.pairPath}
              value={pair.value}
              onChange={(event) => change(at, { ...pair, value: event.currentTarget.value })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={w.removePair(pair.name || w.pairName)}
              onClick={() => onChange(pairs.filter((_, index) => index !== at))}
            >
              <IconTrash size={16} stroke={1.6} />
            </ActionIcon>
          </Group>
        ))}
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange([...pairs, { name: "", value: "" }])}
          >
            {w.addPair}
          </Button>
        </Group>
        {texts.error && <Input.Error>{texts.error}</Input.Error>}
      </Stack>
    </fieldset>
  );
}
