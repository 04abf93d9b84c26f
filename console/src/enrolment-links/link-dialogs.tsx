import { Autocomplete, Stack, Switch, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useTenantId } from "../navigation.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { ApiFormDialog } from "../parts/form/api-form-dialog.tsx";
import { usePassTypes } from "../parts/pass-types.ts";
import { toast } from "../parts/toast.tsx";
import { useWords } from "../words/language.ts";
import { createLink, type EnrolmentLink, linksOf, settable, updateLink } from "./link.ts";
import { words } from "./words.ts";

type Values = {
  readonly code: string;
  readonly passType: string;
  readonly storeId: string;
  readonly source: string;
  readonly enabled: boolean;
};

const NEW_LINK: Values = { code: "", passType: "", storeId: "", source: "", enabled: true };

const orNull = (text: string): string | null => (text === "" ? null : text);

const bodyOf = ({ passType, storeId, source, enabled }: Values) => ({
  passType,
  storeId: orNull(storeId),
  source: orNull(source),
  enabled,
});

type CreateProps = {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onMade: (link: EnrolmentLink) => void;
};

export function CreateDialog({ opened, onClose, onMade }: CreateProps) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const form = useApiForm<Values>({
    initialValues: NEW_LINK,
    send: async (values) => {
      const code = values.code === "" ? {} : { code: values.code };
      const made = await createLink(tenantId, { ...bodyOf(values), ...code });
      await queries.invalidateQueries({ queryKey: linksOf(tenantId) });
      toast({ message: w.made(made.code) });
      onMade(made);
    },
  });
  return (
    <ApiFormDialog
      form={form}
      operation="enrolment-link.create"
      opened={opened}
      onClose={onClose}
      title={w.create}
      verb={w.create}
    >
      <Fields field={form.field} isNew />
    </ApiFormDialog>
  );
}

export function EditDialog({ link, onClose }: { link: EnrolmentLink; onClose: () => void }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const { code, passType, storeId, source, enabled } = link;
  const send = async (body: ReturnType<typeof settable>) => {
    await updateLink(tenantId, code, body);
    await queries.invalidateQueries({ queryKey: linksOf(tenantId) });
  };
  const form = useApiForm<Values>({
    initialValues: { code, passType, storeId: storeId ?? "", source: source ?? "", enabled },
    send: async (values) => {
      await send(bodyOf(values));
      onClose();
      toast({ message: w.changed(code), undo: () => send(settable(link)) });
    },
  });
  return (
    <ApiFormDialog
      form={form}
      operation="enrolment-link.update"
      onClose={onClose}
      title={w.editTitle(code)}
      verb={w.save}
    >
      <Fields field={form.field} />
    </ApiFormDialog>
  );
}

type FieldProps = {
  // biome-ignore lint/suspicious/noExplicitAny: what the library of forms gives to inputs.
  readonly field: (name: keyof Values, options?: { type: "checkbox" }) => any;
  /** The code never changes. */
  readonly isNew?: boolean;
};

function Fields({ field, isNew = false }: FieldProps) {
  const w = useWords(words);
  const types = usePassTypes(useTenantId());
  return (
    <Stack>
      <Autocomplete
        label={w.passType}
        description={w.passTypeHint}
        required
        maxLength={64}
        data={[...types]}
        data-autofocus
        {...field("passType")}
      />
      {isNew && <TextInput label={w.code} description={w.codeHint} {...field("code")} />}
      <TextInput
        label={w.sourceName}
        description={w.sourceHint}
        maxLength={100}
        {...field("source")}
      />
      <TextInput label={w.store} description={w.storeHint} maxLength={64} {...field("storeId")} />
      <Switch
        label={w.enabledLabel}
        description={w.enabledHint}
        {...field("enabled", { type: "checkbox" })}
      />
    </Stack>
  );
}
