import { Alert, Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { IconShieldLock } from "@tabler/icons-react";
import { useState } from "react";
import { CodeBlock } from "../parts/copy.tsx";
import { ValueBox } from "../parts/value-box.tsx";
import { settings } from "../settings.ts";
import { useWords } from "../words/language.ts";
import { words } from "./words.ts";

type Props = {
  readonly token: string;
  readonly tenantId: string;
  readonly doneLabel: string;
  readonly onDone: () => void;
};

/** The value of a new key. Whoever closes this without having saved it has to make another one. */
export function ShownOnce({ token, tenantId, doneLabel, onDone }: Props) {
  const w = useWords(words);
  const [isSaved, setSaved] = useState(false);
  const command = `curl -H 'X-API-KEY: ${token}' '${settings.baseUrl}/api/${tenantId}/passes'`;
  return (
    <Stack>
      <Text>{w.showOnceText}</Text>
      <ValueBox value={token} label={w.key} />
      <Alert variant="light" color="gray" icon={<IconShieldLock size={20} stroke={1.6} />}>
        {w.neverInApps}
      </Alert>
      <div>
        <Text size="sm" fw={600} mb={6}>
          {w.tryIt}
        </Text>
        <CodeBlock code={command} label={w.tryIt} />
      </div>
      <Group justify="space-between">
        <Checkbox
          label={w.saved}
          checked={isSaved}
          onChange={(event) => setSaved(event.currentTarget.checked)}
        />
        <Button disabled={!isSaved} onClick={onDone}>
          {doneLabel}
        </Button>
      </Group>
    </Stack>
  );
}
