import { Anchor, Tooltip } from "@mantine/core";
import { settings } from "../settings.ts";
import { useWords } from "../words/language.ts";
import { words } from "./words.ts";

/** In staging, vendors can be played without an account at any of them. */
export function SimulatorLink() {
  const w = useWords(words);
  if (settings.environment !== "staging") return undefined;
  return (
    <Tooltip label={w.simulatorHint}>
      <Anchor
        href={`${settings.baseUrl}/simulator/vendors`}
        target="_blank"
        rel="noopener"
        size="sm"
      >
        {w.simulator}
      </Anchor>
    </Tooltip>
  );
}
