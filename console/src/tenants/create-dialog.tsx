import { FileInput, Radio, Select, Stack, TextInput } from "@mantine/core";
import { IconFileZip } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useApiForm } from "../parts/form/api-form.ts";
import { ApiFormDialog } from "../parts/form/api-form-dialog.tsx";
import { toast } from "../parts/toast.tsx";
import { useTenants } from "../tenants.ts";
import { useWords } from "../words/language.ts";
import { createCopy, createEmpty, createFromZip, isTenant, suggestId, TENANTS } from "./tenant.ts";
import { words } from "./words.ts";

const NAME_CHARS_MAX = 200;
const ID_CHARS_MAX = 63;

type Values = {
  name: string;
  tenantId: string;
  begin: string;
  from: string | null;
  archive: File | null;
};

type Props = { readonly opened: boolean; readonly onClose: () => void };

export function CreateDialog({ opened, onClose }: Props) {
  const w = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = useCreate();
  const form = useApiForm<Values>({
    initialValues: { name: "", tenantId: "", begin: "empty", from: null, archive: null },
    send: async (values) => {
      await create(values);
      await queries.invalidateQueries({ queryKey: TENANTS });
      await navigate({ to: `/${values.tenantId}` });
      toast({ message: w.made(values.name || values.tenantId) });
    },
  });
  return (
    <ApiFormDialog
      form={form}
      // Whoever may list all tenants may also create one.
      operation="tenant.list"
      opened={opened}
      onClose={onClose}
      title={w.create}
      size="lg"
      verb={w.create}
    >
      <Fields
        values={form.values}
        field={form.field}
        onName={(name) => {
          // The id follows the name until somebody types another one.
          const isOwn = form.values.tenantId !== suggestId(form.values.name);
          form.setValues(isOwn ? { name } : { name, tenantId: suggestId(name) });
        }}
      />
    </ApiFormDialog>
  );
}

function useCreate(): (values: Values) => Promise<unknown> {
  const w = useWords(words);
  return async ({ name, tenantId, begin, from, archive }) => {
    // The API would publish the files in the tenant that is there.
    if (await isTenant(tenantId)) throw new Error(w.taken(tenantId));
    // Nothing typed would be another address; a dash is refused in the words of the API.
    const sent = tenantId === "" ? "-" : tenantId;
    if (begin === "empty") return await createEmpty(sent, name);
    if (begin === "copy") {
      if (from === null) throw new Error(w.noSource);
      return await createCopy(sent, name, from);
    }
    if (archive === null) throw new Error(w.noFile);
    return await createFromZip(sent, archive);
  };
}

type FieldsProps = {
  readonly values: Values;
  readonly field: (name: keyof Values) => object;
  readonly onName: (name: string) => void;
};

function Fields({ values, field, onName }: FieldsProps) {
  const w = useWords(words);
  const { data: tenants = [] } = useTenants();
  const isNamed = values.begin !== "zip";
  return (
    <Stack gap="lg">
      <Radio.Group label={w.begin} {...field("begin")}>
        <Stack gap="sm" mt="xs">
          <Radio value="empty" label={w.empty} description={w.emptyChoice} />
          <Radio
            value="copy"
            label={w.copy}
            description={w.copyChoice}
            disabled={tenants.length === 0}
          />
          <Radio value="zip" label={w.zip} description={w.zipChoice} />
        </Stack>
      </Radio.Group>
      {values.begin === "copy" && (
        <Select
          label={w.from}
          placeholder={w.choose}
          searchable
          required
          data={tenants.map(({ tenantId, name }) => ({
            value: tenantId,
            label: name === tenantId ? name : `${name} (${tenantId})`,
          }))}
          {...field("from")}
        />
      )}
      {values.begin === "zip" && (
        <FileInput
          label={w.archive}
          placeholder={w.chooseFile}
          accept=".zip,application/zip"
          leftSection={<IconFileZip size={18} stroke={1.6} />}
          required
          {...field("archive")}
        />
      )}
      {isNamed && (
        <TextInput
          label={w.name}
          required
          maxLength={NAME_CHARS_MAX}
          autoComplete="off"
          data-autofocus
          {...field("name")}
          onChange={(event) => onName(event.currentTarget.value)}
        />
      )}
      <TextInput
        label={w.tenantId}
        description={w.idHint}
        required
        maxLength={ID_CHARS_MAX}
        autoComplete="off"
        spellCheck={false}
        {...field("tenantId")}
      />
    </Stack>
  );
}
