import { Button, Checkbox, Group, Modal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { Facts } from "../parts/facts.tsx";
import { ValueBox } from "../parts/value-box.tsx";
import { words as partWords } from "../parts/words.ts";
import { useWords } from "../words/language.ts";
import type { Connection } from "./device.ts";
import { words } from "./words.ts";

type Props = { readonly connection: Connection; readonly onClose: () => void };

/** The key of a device. Whoever closes this without having saved it has to make another one. */
export function NewKey({ connection: { apiKey, environmentUri, deviceId }, onClose }: Props) {
  const w = useWords(words);
  const parts = useWords(partWords);
  const [isSaved, setSaved] = useState(false);
  return (
    <Modal
      opened
      onClose={onClose}
      title={w.keyTitle}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      closeButtonProps={{ "aria-label": parts.close }}
    >
      <Stack>
        <Text>{w.keyText}</Text>
        <ValueBox value={apiKey} label={w.key} />
        <Facts
          facts={[
            [w.address, environmentUri],
            [w.deviceId, deviceId],
          ]}
        />
        <Group justify="space-between">
          <Checkbox
            label={w.saved}
            checked={isSaved}
            onChange={(event) => setSaved(event.currentTarget.checked)}
          />
          <Button disabled={!isSaved} onClick={onClose}>
            {w.done}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
