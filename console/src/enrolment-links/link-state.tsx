import { Badge } from "@mantine/core";
import { useWords } from "../words/language.ts";
import type { EnrolmentLink } from "./link.ts";
import { words } from "./words.ts";

export function LinkState({ link: { enabled } }: { link: EnrolmentLink }) {
  const w = useWords(words);
  return (
    <Badge color={enabled ? "teal" : "gray"} variant="light" tt="none">
      {enabled ? w.enabled : w.disabled}
    </Badge>
  );
}
