import { Affix, Button, Group, Paper, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { basePath } from "../settings.ts";
import { useWords } from "../words/language.ts";
import { words } from "./words.ts";

const TIMEOUT_MS = 10_000;
const ENTRY = 'script[type="module"][src*="/first-"]';

/** Whether the server has another version of the console now. False if it cannot be asked. */
async function isOutdated(): Promise<boolean> {
  const path = document.querySelector<HTMLScriptElement>(ENTRY)?.getAttribute("src") ?? "";
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const page = await fetch(basePath, { cache: "no-store", signal }).catch(() => undefined);
  return page?.ok === true && !(await page.text()).includes(path);
}

/**
 * The server was updated while this page was open, and parts of the old version are gone. The page
 * is not reloaded by itself, because somebody may be typing.
 */
export function NewVersion() {
  const w = useWords(words);
  const [isThere, setThere] = useState(false);
  useEffect(() => {
    const show = (event: Event) => {
      event.preventDefault();
      void isOutdated().then((isOld) => isOld && setThere(true));
    };
    addEventListener("vite:preloadError", show);
    return () => removeEventListener("vite:preloadError", show);
  }, []);
  if (!isThere) return undefined;
  return (
    <Affix position={{ bottom: 24, right: 24 }}>
      <Paper withBorder shadow="md" p="md" maw={380} role="alert">
        <Text fw={600}>{w.newVersion}</Text>
        <Group justify="space-between" wrap="nowrap" mt="xs">
          <Text size="sm">{w.newVersionText}</Text>
          <Button onClick={() => location.reload()}>{w.reload}</Button>
        </Group>
      </Paper>
    </Affix>
  );
}
