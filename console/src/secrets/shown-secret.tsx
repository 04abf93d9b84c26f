import { Button, Group, Modal, Progress, Stack, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { ValueBox } from "../parts/value-box.tsx";
import { words as partWords } from "../parts/words.ts";
import { useWords } from "../words/language.ts";
import { words } from "./words.ts";

/** Long enough to copy it, short enough that it does not stay on a screen that somebody leaves. */
const SHOWN_SECONDS = 30;
const SECOND_MS = 1_000;

export type Shown = { readonly key: string; readonly value: string };

type Props = { readonly shown: Shown | undefined; readonly onHide: () => void };

export function ShownSecret({ shown, onHide }: Props) {
  const w = useWords(words);
  const parts = useWords(partWords);
  return (
    <Modal
      opened={shown !== undefined}
      onClose={onHide}
      title={shown === undefined ? undefined : w.shownTitle(shown.key)}
      size="lg"
      closeButtonProps={{ "aria-label": parts.close }}
      // What is hidden must be gone from the document at once.
      transitionProps={{ duration: 0 }}
    >
      {shown !== undefined && <Value key={shown.key} shown={shown} onHide={onHide} />}
    </Modal>
  );
}

function Value({ shown, onHide }: { shown: Shown; onHide: () => void }) {
  const w = useWords(words);
  const [left, setLeft] = useState(SHOWN_SECONDS);
  useEffect(() => {
    const timer = setInterval(() => setLeft((seconds) => seconds - 1), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (left <= 0) onHide();
  }, [left, onHide]);
  return (
    <Stack>
      <ValueBox value={shown.value} label={w.value} />
      <Progress value={(left / SHOWN_SECONDS) * 100} size="xs" aria-label={w.hidesIn(left)} />
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {w.hidesIn(left)}
        </Text>
        <Button variant="default" onClick={onHide}>
          {w.hide}
        </Button>
      </Group>
    </Stack>
  );
}
