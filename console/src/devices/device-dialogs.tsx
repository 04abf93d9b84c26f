import { useQueryClient } from "@tanstack/react-query";
import { useTenantId } from "../navigation.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { ApiFormDialog } from "../parts/form/api-form-dialog.tsx";
import { toast } from "../parts/toast.tsx";
import { useWords } from "../words/language.ts";
import { type Device, devicesOf, registerDevice, updateDevice } from "./device.ts";
import {
  DeviceFields,
  type DeviceValues,
  fieldOf,
  NEW_DEVICE,
  settingsOf,
  valuesOf,
} from "./device-fields.tsx";
import { words } from "./words.ts";

type RegisterProps = {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onMade: (device: Device) => void;
};

export function RegisterDialog({ opened, onClose, onMade }: RegisterProps) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const form = useApiForm<DeviceValues>({
    initialValues: NEW_DEVICE,
    fieldOf,
    send: async (values) => {
      const body = { name: values.name, settings: settingsOf(values) };
      const made = await registerDevice(tenantId, body);
      await queries.invalidateQueries({ queryKey: devicesOf(tenantId) });
      onMade(made);
    },
  });
  return (
    <ApiFormDialog
      form={form}
      operation="device.register"
      opened={opened}
      onClose={onClose}
      title={w.register}
      size="lg"
      verb={w.registerAndPair}
    >
      <DeviceFields field={form.field} />
    </ApiFormDialog>
  );
}

export function EditDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const { deviceId, name: oldName, settings: oldSettings } = device;
  const send = async (change: { name: string; settings: Device["settings"] }) => {
    await updateDevice(tenantId, deviceId, change);
    await queries.invalidateQueries({ queryKey: devicesOf(tenantId) });
  };
  const form = useApiForm<DeviceValues>({
    initialValues: valuesOf(device),
    fieldOf,
    send: async (values) => {
      await send({ name: values.name, settings: settingsOf(values, oldSettings) });
      onClose();
      toast({
        message: w.changed(values.name),
        undo: () => send({ name: oldName, settings: oldSettings }),
      });
    },
  });
  return (
    <ApiFormDialog
      form={form}
      operation="device.update"
      onClose={onClose}
      title={w.editTitle(oldName)}
      size="lg"
      verb={w.save}
    >
      <DeviceFields field={form.field} />
    </ApiFormDialog>
  );
}
