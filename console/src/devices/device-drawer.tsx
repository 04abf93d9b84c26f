import { Badge, Button, Group, Text, Tooltip } from "@mantine/core";
import { IconKey, IconPencil, IconQrcode, IconScan, IconTrash } from "@tabler/icons-react";
import { useGoTo } from "../navigation.tsx";
import type { Search } from "../page.ts";
import { pageById } from "../pages.ts";
import { CopyIcon } from "../parts/copy.tsx";
import { DetailDrawer } from "../parts/detail-drawer.tsx";
import { Facts, Section } from "../parts/facts.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { type Device, isOnline } from "./device.ts";
import classes from "./devices.module.css";
import { words } from "./words.ts";

type Props = {
  readonly device: Device | undefined;
  readonly error: unknown;
  readonly onClose: () => void;
  readonly onPair: () => void;
  readonly onEdit: () => void;
  readonly onReset: (device: Device) => void;
  readonly onRemove: (device: Device) => void;
};

export function DeviceDrawer({ device, error, onClose, ...actions }: Props) {
  return (
    <DetailDrawer
      title={device?.name}
      isLoading={device === undefined}
      error={error}
      onClose={onClose}
    >
      {device !== undefined && <Content device={device} {...actions} />}
    </DetailDrawer>
  );
}

type ContentProps = Omit<Props, "device" | "error" | "onClose"> & { readonly device: Device };

function Content({ device, onPair, onEdit, onReset, onRemove }: ContentProps) {
  const w = useWords(words);
  const format = useFormat();
  const goTo = useGoTo();
  const scans = pageById("scans");
  const { settings, createdAt, deviceId } = device;
  const { passTypes, redeem, location, sound, language, ...others } = settings;
  return (
    <>
      <Group gap="xs">
        <ScopedButton
          operation="pairing.create"
          leftSection={<IconQrcode size={18} stroke={1.6} />}
          onClick={onPair}
        >
          {device.status === "connected" ? w.pairAgain : w.pair}
        </ScopedButton>
        <ScopedButton
          operation="device.update"
          variant="default"
          leftSection={<IconPencil size={16} stroke={1.6} />}
          onClick={onEdit}
        >
          {w.edit}
        </ScopedButton>
        {scans !== undefined && (
          <Button
            variant="default"
            leftSection={<IconScan size={16} stroke={1.6} />}
            onClick={() => goTo(scans, { device: deviceId } as Search)}
          >
            {w.scans}
          </Button>
        )}
      </Group>
      <Facts
        facts={[
          [w.status, <KeyState key="state" device={device} />],
          [w.lastSeen, <LastSeen key="seen" device={device} />],
          [w.created, format.moment(createdAt)],
          [
            w.deviceId,
            <Group key="id" gap={4}>
              <code>{deviceId}</code>
              <CopyIcon value={deviceId} />
            </Group>,
          ],
        ]}
      />
      <Section title={w.settings}>
        <Facts
          facts={[
            [w.location, location ?? "—"],
            [w.accepts, passTypes?.join(", ") ?? w.all],
            [
              w.redeems,
              redeem === undefined
                ? w.nothing
                : w.redeemLine(format.number(redeem.amount), redeem.privilegeId),
            ],
            [w.sound, sound === false ? w.soundOff : w.soundOn],
            [w.language, language ?? w.ofBrowser],
            [
              w.further,
              Object.keys(others).length === 0 ? undefined : (
                <code key="others">{JSON.stringify(others)}</code>
              ),
            ],
          ]}
        />
      </Section>
      <Group gap="xs">
        <ScopedButton
          operation="device.reset"
          variant="default"
          leftSection={<IconKey size={16} stroke={1.6} />}
          onClick={() => onReset(device)}
        >
          {w.reset}
        </ScopedButton>
        <ScopedButton
          operation="device.delete"
          variant="light"
          color="red"
          leftSection={<IconTrash size={16} stroke={1.6} />}
          onClick={() => onRemove(device)}
        >
          {w.remove}
        </ScopedButton>
      </Group>
    </>
  );
}

export function KeyState({ device }: { device: Device }) {
  const w = useWords(words);
  const isConnected = device.status === "connected";
  return (
    <Badge color={isConnected ? "teal" : "gray"} variant="light" tt="none">
      {isConnected ? w.connected : w.registered}
    </Badge>
  );
}

export function LastSeen({ device }: { device: Device }) {
  const w = useWords(words);
  const format = useFormat();
  const { lastSeenAt } = device;
  if (lastSeenAt === null) {
    return (
      <Text size="sm" c="dimmed" component="span">
        {w.neverSeen}
      </Text>
    );
  }
  return (
    <Group gap={6} component="span">
      <Tooltip label={format.moment(lastSeenAt)}>
        <span className={classes.seen}>{format.ago(lastSeenAt)}</span>
      </Tooltip>
      {isOnline(device) && (
        <Badge color="teal" variant="light" tt="none">
          {w.online}
        </Badge>
      )}
    </Group>
  );
}
