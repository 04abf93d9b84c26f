import { ActionIcon, Button, Group, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useWords } from "../words/language.ts";
import type { Customer, CustomerCreate, CustomerUpdate } from "./customer.ts";
import classes from "./customers.module.css";
import { words } from "./words.ts";

export type Identifier = { readonly key: string; readonly name: string; readonly value: string };

export type CustomerValues = {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly phone: string;
  readonly locale: string;
  readonly identifiers: readonly Identifier[];
};

export const NEW_CUSTOMER: CustomerValues = {
  firstName: "",
  lastName: "",
  email: "",
  phone: "",
  locale: "",
  identifiers: [],
};

export const valuesOf = (customer: Customer): CustomerValues => ({
  firstName: customer.firstName ?? "",
  lastName: customer.lastName ?? "",
  email: customer.email ?? "",
  phone: customer.phone ?? "",
  locale: customer.locale ?? "",
  identifiers: Object.entries(customer.identifiers).map(([name, value]) => ({
    key: name,
    name,
    value,
  })),
});

const orNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());

const plain = ({ firstName, lastName, email, phone, locale }: CustomerValues) => ({
  firstName: orNull(firstName),
  lastName: orNull(lastName),
  email: orNull(email),
  phone: orNull(phone),
  locale: orNull(locale),
});

function identifiersOf({ identifiers }: CustomerValues): Record<string, string> {
  const filled = identifiers.filter(({ name, value }) => name !== "" || value !== "");
  return Object.fromEntries(filled.map(({ name, value }) => [name.trim(), value]));
}

export const creationOf = (values: CustomerValues): CustomerCreate => ({
  ...plain(values),
  identifiers: identifiersOf(values),
});

/** Identifiers that are not sent stay, so those that were taken away are sent as null. */
export function changeOf(values: CustomerValues, before: Customer): CustomerUpdate {
  const gone = Object.keys(before.identifiers).map((name) => [name, null] as const);
  const identifiers = { ...Object.fromEntries(gone), ...identifiersOf(values) };
  return { ...plain(values), identifiers };
}

export const fieldOf = (path: string): string =>
  path.startsWith("identifiers") ? "identifiers" : path;

type Props = {
  readonly values: CustomerValues;
  // biome-ignore lint/suspicious/noExplicitAny: what the library of forms gives to inputs.
  readonly field: (name: keyof CustomerValues) => any;
  readonly onIdentifiers: (identifiers: readonly Identifier[]) => void;
};

export function CustomerFields({ values, field, onIdentifiers }: Props) {
  const w = useWords(words);
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={w.firstName}
          maxLength={200}
          autoComplete="off"
          data-autofocus
          {...field("firstName")}
        />
        <TextInput label={w.lastName} maxLength={200} autoComplete="off" {...field("lastName")} />
      </SimpleGrid>
      <TextInput
        label={w.email}
        type="email"
        maxLength={254}
        autoComplete="off"
        {...field("email")}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={w.phone}
          description={w.phoneHint}
          type="tel"
          autoComplete="off"
          {...field("phone")}
        />
        <TextInput
          label={w.locale}
          description={w.localeHint}
          maxLength={35}
          {...field("locale")}
        />
      </SimpleGrid>
      <Identifiers
        identifiers={values.identifiers}
        error={field("identifiers").error}
        onChange={onIdentifiers}
      />
    </Stack>
  );
}

type IdentifierProps = {
  readonly identifiers: readonly Identifier[];
  readonly error: string | undefined;
  readonly onChange: (identifiers: readonly Identifier[]) => void;
};

function Identifiers({ identifiers, error, onChange }: IdentifierProps) {
  const w = useWords(words);
  const set = (key: string, change: Partial<Identifier>) =>
    onChange(identifiers.map((one) => (one.key === key ? { ...one, ...change } : one)));
  return (
    <fieldset
      className={classes.identifiers}
      tabIndex={-1}
      data-problem={error === undefined ? undefined : true}
    >
      <legend className={classes.legend}>{w.identifiers}</legend>
      <Text size="xs" c="dimmed" mb="xs">
        {w.identifiersHint}
      </Text>
      {error !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" mb="xs">
          {error}
        </Text>
      )}
      <Stack gap="xs">
        {identifiers.map(({ key, name, value }) => (
          <Group key={key} gap="xs" wrap="nowrap">
            <TextInput
              flex={1}
              aria-label={w.identifierName}
              placeholder={w.identifierName}
              value={name}
              onChange={(event) => set(key, { name: event.currentTarget.value })}
            />
            <TextInput
              flex={1}
              aria-label={w.identifierValue}
              placeholder={w.identifierValue}
              maxLength={256}
              value={value}
              onChange={(event) => set(key, { value: event.currentTarget.value })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={w.dropIdentifier(name)}
              onClick={() => onChange(identifiers.filter((one) => one.key !== key))}
            >
              <IconX size={16} />
            </ActionIcon>
          </Group>
        ))}
        <Button
          variant="subtle"
          size="compact-sm"
          w="fit-content"
          leftSection={<IconPlus size={14} />}
          onClick={() =>
            onChange([...identifiers, { key: crypto.randomUUID(), name: "", value: "" }])
          }
        >
          {w.addIdentifier}
        </Button>
      </Stack>
    </fieldset>
  );
}
