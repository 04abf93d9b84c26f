import { Badge, Tooltip } from "@mantine/core";
import { useWords } from "../../words/language.ts";
import type { DeliveryState } from "./delivery.ts";
import { words } from "./words.ts";

const COLORS: Readonly<Record<DeliveryState, string>> = {
  delivered: "teal",
  pending: "blue",
  retrying: "yellow",
  failed: "red",
};

export function StateBadge({ state }: { state: DeliveryState }) {
  const w = useWords(words);
  return (
    <Tooltip label={w[`${state}Hint`]} multiline maw={280}>
      <Badge color={COLORS[state]} variant="light" tt="none">
        {w[state]}
      </Badge>
    </Tooltip>
  );
}
