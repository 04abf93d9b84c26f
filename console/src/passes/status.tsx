import { Badge, Group, Text, Tooltip } from "@mantine/core";
import { IconBrandApple, IconBrandGoogle } from "@tabler/icons-react";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import type { Pass } from "./pass.ts";
import { WALLET_NAMES } from "./wallet-names.ts";
import { words } from "./words.ts";

export function StatusMark({ status }: { readonly status: Pass["status"] }) {
  const w = useWords(words);
  const label = { active: w.active, disabled: w.disabled, expired: w.expired }[status];
  const color = { active: "teal", disabled: "gray", expired: "orange" }[status];
  return (
    <Badge color={color} variant={status === "disabled" ? "default" : "light"} tt="none">
      {label}
    </Badge>
  );
}

/** In which wallets a pass is, and on how many devices. */
export function WalletMarks({ providers }: { readonly providers: Pass["providers"] }) {
  const w = useWords(words);
  const format = useFormat();
  const marks = [
    { name: WALLET_NAMES.apple, state: providers.apple, Icon: IconBrandApple },
    { name: WALLET_NAMES.google, state: providers.google, Icon: IconBrandGoogle },
  ].filter(({ state }) => state.status !== "none");
  if (marks.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {w.noWallet}
      </Text>
    );
  }
  return (
    <Group gap={6}>
      {marks.map(({ name, state, Icon }) => (
        <Tooltip
          key={name}
          label={`${name} · ${state.status === "installed" ? w.devices(format.number(state.devices)) : w.uninstalled}`}
        >
          <Badge
            variant={state.status === "installed" ? "light" : "outline"}
            color={state.status === "installed" ? "indigo" : "gray"}
            tt="none"
            leftSection={<Icon size={14} aria-label={name} />}
          >
            {state.status === "installed" ? w.installed : w.uninstalled}
          </Badge>
        </Tooltip>
      ))}
    </Group>
  );
}
