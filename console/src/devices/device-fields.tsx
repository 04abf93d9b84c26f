import { Group, NumberInput, Stack, Switch, TagsInput, TextInput } from "@mantine/core";
import { useTenantId } from "../navigation.tsx";
import { usePassTypes } from "../parts/pass-types.ts";
import { useWords } from "../words/language.ts";
import type { Device, DeviceSettings } from "./device.ts";
import { words } from "./words.ts";

export type DeviceValues = {
  readonly name: string;
  readonly location: string;
  readonly passTypes: string[];
  readonly privilegeId: string;
  readonly amount: number | string;
  readonly sound: boolean;
  readonly language: string;
};

export const NEW_DEVICE: DeviceValues = {
  name: "",
  location: "",
  passTypes: [],
  privilegeId: "",
  amount: 1,
  sound: true,
  language: "",
};

export const valuesOf = ({ name, settings }: Device): DeviceValues => ({
  name,
  location: settings.location ?? "",
  passTypes: settings.passTypes ?? [],
  privilegeId: settings.redeem?.privilegeId ?? "",
  amount: settings.redeem?.amount ?? 1,
  sound: settings.sound ?? true,
  language: settings.language ?? "",
});

/** Settings are replaced as a whole, so those that only other scanners know are sent along. */
export function settingsOf(values: DeviceValues, before: DeviceSettings = {}): DeviceSettings {
  const { passTypes: _, redeem: _r, location: _l, sound: _s, language: _g, ...others } = before;
  const { location, passTypes, privilegeId, amount, sound, language } = values;
  return {
    ...others,
    ...(location === "" ? {} : { location }),
    ...(passTypes.length === 0 ? {} : { passTypes }),
    ...(privilegeId === "" ? {} : { redeem: { privilegeId, amount: Number(amount) } }),
    ...(sound ? {} : { sound }),
    ...(language === "" ? {} : { language }),
  };
}

/** The API names `settings.redeem.amount`; the field is `amount`. */
export const fieldOf = (path: string): string => {
  const name = path
    .replace(/\[\d+\].*$/, "")
    .split(".")
    .at(-1);
  return name === "redeem" ? "privilegeId" : (name ?? path);
};

type Props = {
  // biome-ignore lint/suspicious/noExplicitAny: what the library of forms gives to inputs.
  readonly field: (name: keyof DeviceValues, options?: { type: "checkbox" }) => any;
};

export function DeviceFields({ field }: Props) {
  const w = useWords(words);
  const types = usePassTypes(useTenantId());
  return (
    <Stack>
      <TextInput
        label={w.name}
        description={w.nameHint}
        required
        maxLength={100}
        data-autofocus
        {...field("name")}
      />
      <TextInput
        label={w.location}
        description={w.locationHint}
        maxLength={200}
        {...field("location")}
      />
      <TagsInput
        label={w.accepts}
        description={w.acceptsHint}
        data={[...types]}
        {...field("passTypes")}
      />
      <Group align="flex-end" wrap="nowrap">
        <TextInput
          flex={1}
          label={w.redeems}
          description={w.redeemsHint}
          maxLength={100}
          {...field("privilegeId")}
        />
        <NumberInput w={96} label={w.amount} min={0} {...field("amount")} />
      </Group>
      <TextInput
        label={w.language}
        description={w.languageHint}
        maxLength={35}
        {...field("language")}
      />
      <Switch label={w.sound} {...field("sound", { type: "checkbox" })} />
    </Stack>
  );
}
