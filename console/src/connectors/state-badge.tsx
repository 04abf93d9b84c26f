import { Badge } from "@mantine/core";
import { useLanguage, useWords } from "../words/language.ts";
import { type Connector, STATE_COLORS, stateOf } from "./connector.ts";
import { ABOUT_IN_FRENCH } from "./vendor-words.ts";
import { words } from "./words.ts";

export function StateBadge({ connector }: { connector: Connector }) {
  const w = useWords(words);
  const state = stateOf(connector);
  const label = {
    new: w.stateNew,
    off: w.stateOff,
    trouble: w.stateTrouble,
    working: w.stateWorking,
  }[state];
  return (
    <Badge color={STATE_COLORS[state]} variant={state === "new" ? "default" : "light"} tt="none">
      {label}
    </Badge>
  );
}

/** What a connector does, in the language of the person. */
export function useAbout(): (connector: Connector) => string {
  const language = useLanguage();
  return ({ name, about }) => (language === "fr" ? (ABOUT_IN_FRENCH[name] ?? about) : about);
}
