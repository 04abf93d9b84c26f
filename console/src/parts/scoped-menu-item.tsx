import { Menu, type MenuItemProps, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { type Operation, useMissingScope } from "../api/rights.ts";
import { useWords } from "../words/language.ts";
import { words } from "./words.ts";

type Props = MenuItemProps & {
  /** What the item does at the API. Without its scope the item is off and says why. */
  readonly operation: Operation;
  readonly onClick: () => void;
  readonly children: ReactNode;
};

export function ScopedMenuItem({ operation, onClick, children, ...rest }: Props) {
  const missing = useMissingScope(operation);
  const w = useWords(words);
  if (missing === undefined) {
    return (
      <Menu.Item {...rest} onClick={onClick}>
        {children}
      </Menu.Item>
    );
  }
  return (
    <Menu.Item {...rest} data-disabled aria-disabled closeMenuOnClick={false}>
      {children}
      <Text size="xs" c="dimmed">
        {w.lacks(missing)}
      </Text>
    </Menu.Item>
  );
}
