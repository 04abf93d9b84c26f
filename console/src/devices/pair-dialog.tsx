import { Button, Group, Loader, Modal, Progress, Skeleton, Stack, Text } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTenantId } from "../navigation.tsx";
import { CopyIcon } from "../parts/copy.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { useNow } from "../parts/now.ts";
import { QrCode } from "../parts/qr-code.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import { words as partWords } from "../parts/words.ts";
import { settings } from "../settings.ts";
import { useWords } from "../words/language.ts";
import { createPairing, type Device, inHalves, type Pairing } from "./device.ts";
import classes from "./devices.module.css";
import { words } from "./words.ts";

const LIFE_MS = 600_000;

type Props = { readonly device: Device; readonly onClose: () => void };

/** Shows a code until the device has taken it. The device says so by an event, so nothing is asked. */
export function PairDialog({ device, onClose }: Props) {
  const w = useWords(words);
  const parts = useWords(partWords);
  // As the device was when the dialog opened.
  const [before] = useState(device);
  const [isWanted, setWanted] = useState(before.status === "registered");
  const isDone = device.status === "connected" && device.version > before.version;
  return (
    <Modal
      opened
      onClose={onClose}
      title={w.pairTitle(device.name)}
      size="md"
      closeButtonProps={{ "aria-label": parts.close }}
    >
      {isDone ? (
        <Paired name={device.name} onClose={onClose} />
      ) : isWanted ? (
        <Code deviceId={device.deviceId} />
      ) : (
        <Stack>
          <Text>{w.pairConnectedText}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {parts.cancel}
            </Button>
            <ScopedButton operation="pairing.create" onClick={() => setWanted(true)}>
              {w.pairAgain}
            </ScopedButton>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function Code({ deviceId }: { deviceId: string }) {
  const tenantId = useTenantId();
  const [attempt, setAttempt] = useState(1);
  const { data, error, refetch } = useQuery({
    queryKey: ["pairing", tenantId, deviceId, attempt],
    queryFn: () => createPairing(tenantId, deviceId),
    // Each question would make another code and end this one.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  if (error !== null) return <ErrorDisplay error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={320} radius="md" />;
  return <ShownCode pairing={data} onAgain={() => setAttempt((count) => count + 1)} />;
}

function ShownCode({ pairing, onAgain }: { pairing: Pairing; onAgain: () => void }) {
  const w = useWords(words);
  const { code, url, expiresAt } = pairing;
  const leftMs = Math.max(0, Date.parse(expiresAt) - useNow());
  if (leftMs === 0) {
    return (
      <Stack align="center" py="lg">
        <Text>{w.pairOver}</Text>
        <ScopedButton operation="pairing.create" onClick={onAgain}>
          {w.pairNew}
        </ScopedButton>
      </Stack>
    );
  }
  return (
    <Stack align="center" gap="md">
      <Text ta="center">{w.pairLead}</Text>
      <QrCode text={url} label={w.pairQr} />
      <div className={classes.byHand}>
        <Text size="sm" c="dimmed" ta="center">
          {w.pairByHand(`${settings.baseUrl}/scan`)}
        </Text>
        <Group gap={4} justify="center">
          <code className={classes.code} data-code>
            {inHalves(code)}
          </code>
          <CopyIcon value={code} />
        </Group>
      </div>
      <div className={classes.left}>
        <Progress
          value={(leftMs / LIFE_MS) * 100}
          size="sm"
          aria-label={w.pairLeft(clock(leftMs))}
        />
        <Group justify="space-between" mt={6} gap="xs">
          <Group gap="xs" role="status">
            <Loader size={14} />
            <Text size="sm">{w.pairWaiting}</Text>
          </Group>
          <Text size="sm" c="dimmed" className={classes.clock}>
            {w.pairLeft(clock(leftMs))}
          </Text>
        </Group>
      </div>
    </Stack>
  );
}

/** `9:58` */
function clock(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function Paired({ name, onClose }: { name: string; onClose: () => void }) {
  const w = useWords(words);
  return (
    <Stack align="center" py="lg" role="status">
      <IconCircleCheck size={56} stroke={1.4} color="var(--mantine-color-teal-text)" aria-hidden />
      <Text fw={600} ta="center">
        {w.pairDone(name)}
      </Text>
      <Button onClick={onClose} data-autofocus>
        {w.done}
      </Button>
    </Stack>
  );
}
