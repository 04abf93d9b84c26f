import { Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useTenantId } from "../navigation.tsx";
import { confirm } from "../parts/confirm.tsx";
import { toast } from "../parts/toast.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import {
  type Connection,
  type Device,
  devicesOf,
  isOnline,
  removeDevice,
  resetDevice,
} from "./device.ts";
import { words } from "./words.ts";

/** What cannot be taken back, and therefore is asked about. */
export function useDeviceActions(onKey: (made: Connection) => void, onRemoved: () => void) {
  const w = useWords(words);
  const format = useFormat();
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: devicesOf(tenantId) });
  const warning = (device: Device) =>
    isOnline(device) &&
    device.lastSeenAt !== null && (
      <Text fw={600} mb="xs">
        {w.removeOnline(format.ago(device.lastSeenAt))}
      </Text>
    );
  return {
    reset: (device: Device) =>
      confirm({
        title: w.resetTitle(device.name),
        text: (
          <>
            {warning(device)}
            {w.resetText}
          </>
        ),
        verb: w.resetVerb,
        isHarmful: device.status === "connected",
        act: async () => {
          onKey(await resetDevice(tenantId, device.deviceId));
          await refresh();
        },
      }),
    remove: (device: Device) =>
      confirm({
        title: w.removeTitle(device.name),
        text: (
          <>
            {warning(device)}
            {w.removeText}
          </>
        ),
        verb: w.remove,
        isHarmful: true,
        act: async () => {
          await removeDevice(tenantId, device.deviceId);
          onRemoved();
          await refresh();
          toast({ message: w.removed(device.name) });
        },
      }),
  };
}
