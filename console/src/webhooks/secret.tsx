import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconEye, IconShieldLock } from "@tabler/icons-react";
import { useState } from "react";
import { useTenantId } from "../navigation.tsx";
import { CopyIcon } from "../parts/copy.tsx";
import { toastProblem } from "../parts/toast.tsx";
import { ValueBox } from "../parts/value-box.tsx";
import { useWords } from "../words/language.ts";
import { getSecret } from "./webhook.ts";
import classes from "./webhooks.module.css";
import { words } from "./words.ts";

type MadeProps = {
  readonly secret: string;
  readonly onTest: () => void;
  readonly onDone: () => void;
};

/** What stands after a webhook was created: its secret, and the way to try it out. */
export function SecretMade({ secret, onTest, onDone }: MadeProps) {
  const w = useWords(words);
  return (
    <Stack>
      <Text>{w.madeText}</Text>
      <ValueBox value={secret} label={w.secret} takesFocus={false} />
      <Alert variant="light" color="gray" icon={<IconShieldLock size={20} stroke={1.6} />}>
        {w.secretOnServers}
      </Alert>
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          {w.done}
        </Button>
        <Button onClick={onTest} data-autofocus>
          {w.testNow}
        </Button>
      </Group>
    </Stack>
  );
}

/** The secret is asked for when somebody wants to see it, because each reading is audited. */
export function SecretReveal({ id }: { id: string }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [secret, setSecret] = useState<string>();
  if (secret === undefined) {
    return (
      <Button
        size="compact-sm"
        variant="subtle"
        leftSection={<IconEye size={16} stroke={1.6} />}
        title={w.secretOnServers}
        onClick={() => void getSecret(tenantId, id).then(setSecret, toastProblem)}
      >
        {w.showSecret}
      </Button>
    );
  }
  return (
    <Group gap={4} wrap="nowrap">
      <code className={classes.mono} data-value>
        {secret}
      </code>
      <CopyIcon value={secret} />
      <Button size="compact-sm" variant="subtle" onClick={() => setSecret(undefined)}>
        {w.hideSecret}
      </Button>
    </Group>
  );
}
