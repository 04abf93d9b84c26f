import { useQueryClient } from "@tanstack/react-query";
import { useTenantId } from "../navigation.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { FormDialog } from "../parts/form/form-dialog.tsx";
import { FormEnd } from "../parts/form/form-end.tsx";
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
    <FormDialog
      opened={opened}
      onClose={onClose}
      isDirty={form.isDirty()}
      title={w.register}
      size="lg"
    >
      <form onSubmit={form.submit} noValidate>
        <DeviceFields field={form.field} />
        <FormEnd form={form} verb={w.registerAndPair} onCancel={onClose} />
      </form>
    </FormDialog>
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
    <FormDialog
      opened
      onClose={onClose}
      isDirty={form.isDirty()}
      title={w.editTitle(oldName)}
      size="lg"
    >
      <form onSubmit={form.submit} noValidate>
        <DeviceFields field={form.field} />
        <FormEnd form={form} verb={w.save} onCancel={onClose} />
      </form>
    </FormDialog>
  );
}
