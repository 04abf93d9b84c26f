import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { ValueBox } from "../parts/value-box.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import type { Invitation } from "./administrator.ts";
import { words } from "./words.ts";

type Props = {
  readonly name: string;
  readonly invitation: Invitation;
  readonly onDone: () => void;
};

/** The link of an invitation. It cannot be read again: whoever loses it makes another one. */
export function InvitationShown({ name, invitation, onDone }: Props) {
  const w = useWords(words);
  const format = useFormat();
  const [isSaved, setSaved] = useState(false);
  return (
    <Stack>
      <Text>{w.sendLinkText(name)}</Text>
      <ValueBox value={invitation.url} label={w.link} />
      <Text size="sm" c="dimmed">
        {w.linkEnds(format.moment(invitation.expiresAt))}
      </Text>
      <Group justify="space-between">
        <Checkbox
          label={w.linkSaved}
          checked={isSaved}
          onChange={(event) => setSaved(event.currentTarget.checked)}
        />
        <Button disabled={!isSaved} onClick={onDone}>
          {w.done}
        </Button>
      </Group>
    </Stack>
  );
}
