import { Badge } from "@mantine/core";
import { useWords } from "../words/language.ts";
import type { Delivery } from "./connector.ts";
import { words } from "./words.ts";

const COLORS = { waiting: "blue", done: "teal", ignored: "gray", failed: "red" } as const;

export function StatusBadge({ status }: { status: Delivery["status"] }) {
  const w = useWords(words);
  return (
    <Badge color={COLORS[status]} variant="light" tt="none">
      {w[`${status}Status`]}
    </Badge>
  );
}
