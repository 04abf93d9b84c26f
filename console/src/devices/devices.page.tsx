import { Button, Menu, Text } from "@mantine/core";
import {
  IconDeviceMobile,
  IconExternalLink,
  IconKey,
  IconPencil,
  IconQrcode,
  IconTrash,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { ListPage } from "../parts/list-page.tsx";
import { RowMenu } from "../parts/row-menu.tsx";
import { ScopedMenuItem } from "../parts/scoped-menu-item.tsx";
import type { Column } from "../parts/table/column.ts";
import { settings } from "../settings.ts";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import {
  type Connection,
  DEVICE_EVENTS,
  type Device,
  devicesOf,
  getDevice,
  listDevices,
} from "./device.ts";
import { useDeviceActions } from "./device-actions.tsx";
import { EditDialog, RegisterDialog } from "./device-dialogs.tsx";
import { DeviceDrawer, KeyState, LastSeen } from "./device-drawer.tsx";
import classes from "./devices.module.css";
import { NewKey } from "./new-key.tsx";
import { page } from "./page.ts";
import { PairDialog } from "./pair-dialog.tsx";
import { useSeenAfterScans } from "./seen-after-scans.ts";
import { words } from "./words.ts";

export function Page() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const [made, setMade] = useState<Connection>();
  const path = `/api/${tenantId}/devices`;
  useSeenAfterScans();
  const actions = useDeviceActions(setMade, () => setSearch({ device: undefined }));
  return (
    <ListPage<Device>
      page={page}
      words={w}
      path={path}
      icon={IconDeviceMobile}
      create={{
        operation: "device.register",
        label: w.register,
        example: { method: "POST", path, body: { name: "North door" } },
      }}
      actions={<ScannerLink />}
      above={<OpenedDevice actions={actions} />}
      columns={useColumns()}
      keyOf={({ deviceId }) => deviceId}
      queryKey={devicesOf(tenantId)}
      live={DEVICE_EVENTS}
      load={(wish) => listDevices(tenantId, wish)}
      search={search}
      onSearch={setSearch}
      filterOf={(value) => [{ field: "name", operator: "contains", value }]}
      onOpen={({ deviceId }) => setSearch({ device: deviceId }, { isStep: true })}
      rowActions={(device) => <Actions device={device} actions={actions} />}
    >
      <RegisterDialog
        key={search.new}
        opened={search.new === "yes"}
        onClose={() => setSearch({ new: undefined })}
        onMade={({ deviceId }) => setSearch({ new: undefined, pair: deviceId })}
      />
      {made !== undefined && <NewKey connection={made} onClose={() => setMade(undefined)} />}
    </ListPage>
  );
}

function ScannerLink() {
  const w = useWords(words);
  return (
    <Button
      component="a"
      href={`${settings.baseUrl}/scan`}
      target="_blank"
      rel="noreferrer"
      variant="default"
      leftSection={<IconExternalLink size={16} stroke={1.6} />}
    >
      {w.openScanner}
    </Button>
  );
}

type DeviceActions = ReturnType<typeof useDeviceActions>;

/** The device that the address names, with its drawer and its dialogs. */
function OpenedDevice({ actions }: { actions: DeviceActions }) {
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const deviceId = search.pair ?? search.edit ?? search.device;
  const { data: device, error } = useQuery({
    queryKey: [...devicesOf(tenantId), "one", deviceId],
    queryFn: () => getDevice(tenantId, deviceId ?? ""),
    enabled: deviceId !== undefined,
    meta: { live: DEVICE_EVENTS },
  });
  if (deviceId === undefined) return undefined;
  const step = { isStep: true };
  return (
    <>
      {search.device !== undefined && (
        <DeviceDrawer
          device={device}
          error={error}
          onClose={() => setSearch({ device: undefined })}
          onPair={() => setSearch({ pair: deviceId }, step)}
          onEdit={() => setSearch({ edit: deviceId }, step)}
          onReset={actions.reset}
          onRemove={actions.remove}
        />
      )}
      {search.device === undefined && <ErrorDisplay error={error} />}
      {device !== undefined && search.edit !== undefined && (
        <EditDialog device={device} onClose={() => setSearch({ edit: undefined })} />
      )}
      {device !== undefined && search.pair !== undefined && (
        <PairDialog device={device} onClose={() => setSearch({ pair: undefined })} />
      )}
    </>
  );
}

function useColumns(): readonly Column<Device>[] {
  const w = useWords(words);
  const format = useFormat();
  return useMemo(
    () => [
      {
        id: "name",
        title: w.name,
        width: "minmax(11rem, 1.6fr)",
        sortField: "name",
        render: ({ name }) => <span className={classes.name}>{name}</span>,
      },
      {
        id: "status",
        title: w.status,
        width: "minmax(9rem, 1fr)",
        sortField: "status",
        render: (device) => <KeyState device={device} />,
      },
      {
        id: "lastSeen",
        title: w.lastSeen,
        width: "minmax(11rem, 1.2fr)",
        sortField: "lastSeenAt",
        render: (device) => <LastSeen device={device} />,
      },
      {
        id: "location",
        title: w.location,
        width: "minmax(8rem, 1.2fr)",
        render: ({ settings: { location } }) => <Text size="sm">{location ?? "—"}</Text>,
      },
      {
        id: "accepts",
        title: w.accepts,
        width: "minmax(10rem, 1.2fr)",
        isExtra: true,
        render: ({ settings: { passTypes } }) => (
          <Text size="sm">{passTypes?.join(", ") ?? w.all}</Text>
        ),
      },
      {
        id: "created",
        title: w.created,
        width: "minmax(7rem, 0.8fr)",
        sortField: "createdAt",
        render: ({ createdAt }) => <Text size="sm">{format.day(createdAt)}</Text>,
      },
    ],
    [w, format],
  );
}

function Actions({ device, actions }: { device: Device; actions: DeviceActions }) {
  const w = useWords(words);
  const [, setSearch] = usePageSearch(page);
  const { name, deviceId, status } = device;
  return (
    <RowMenu label={w.actions(name)}>
      <ScopedMenuItem
        operation="pairing.create"
        leftSection={<IconQrcode size={16} stroke={1.6} />}
        onClick={() => setSearch({ pair: deviceId }, { isStep: true })}
      >
        {status === "connected" ? w.pairAgain : w.pair}
      </ScopedMenuItem>
      <ScopedMenuItem
        operation="device.update"
        leftSection={<IconPencil size={16} stroke={1.6} />}
        onClick={() => setSearch({ edit: deviceId }, { isStep: true })}
      >
        {w.edit}
      </ScopedMenuItem>
      <ScopedMenuItem
        operation="device.reset"
        leftSection={<IconKey size={16} stroke={1.6} />}
        onClick={() => actions.reset(device)}
      >
        {w.reset}
      </ScopedMenuItem>
      <Menu.Divider />
      <ScopedMenuItem
        operation="device.delete"
        color="red"
        leftSection={<IconTrash size={16} stroke={1.6} />}
        onClick={() => actions.remove(device)}
      >
        {w.remove}
      </ScopedMenuItem>
    </RowMenu>
  );
}
