import { Button, FileButton, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { IconFileUpload } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useTenantId } from "../navigation.tsx";
import { confirm } from "../parts/confirm.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { ApiFormDialog } from "../parts/form/api-form-dialog.tsx";
import { toast } from "../parts/toast.tsx";
import { useWords } from "../words/language.ts";
import { isStored, secretsOf, storeSecret } from "./secret.ts";
import { words } from "./words.ts";

const KEY_CHARS_MAX = 128;

type StoreProps = { readonly opened: boolean; readonly onClose: () => void };

export function StoreDialog({ opened, onClose }: StoreProps) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const store = useStore(onClose);
  const form = useApiForm({
    initialValues: { key: "", value: "" },
    send: async ({ key, value }) => {
      // Nothing typed would be another address; a blank is refused in the words of the API.
      if (key.trim() === "") return await store(" ", value);
      // The API replaces a value without a question; a person who means a new secret may not know it.
      if (!(await isStored(tenantId, key))) return await store(key, value);
      confirm({
        title: w.existsTitle(key),
        text: w.existsText,
        verb: w.save,
        isHarmful: true,
        act: () => store(key, value),
      });
    },
  });
  return (
    <ApiFormDialog
      form={form}
      operation="secret.put"
      opened={opened}
      onClose={onClose}
      title={w.store}
      size="lg"
      verb={w.store}
    >
      <Stack gap="lg">
        <TextInput
          label={w.key}
          description={w.keyHint}
          placeholder="WEBSHOP-TOKEN"
          required
          maxLength={KEY_CHARS_MAX}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          {...form.field("key")}
        />
        <ValueField field={form.field("value")} onFile={(value) => form.setValues({ value })} />
      </Stack>
    </ApiFormDialog>
  );
}

type ReplaceProps = { readonly secretKey: string; readonly onClose: () => void };

export function ReplaceDialog({ secretKey, onClose }: ReplaceProps) {
  const w = useWords(words);
  const store = useStore(onClose);
  const form = useApiForm({
    initialValues: { value: "" },
    send: ({ value }) => store(secretKey, value),
  });
  return (
    <ApiFormDialog
      form={form}
      operation="secret.put"
      onClose={onClose}
      title={w.replaceTitle(secretKey)}
      size="lg"
      verb={w.save}
    >
      <Stack gap="lg">
        <Text>{w.replaceText}</Text>
        <ValueField
          field={form.field("value")}
          onFile={(value) => form.setValues({ value })}
          isFirst
        />
      </Stack>
    </ApiFormDialog>
  );
}

function useStore(onDone: () => void): (key: string, value: string) => Promise<void> {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  return async (key, value) => {
    await storeSecret(tenantId, key, value);
    onDone();
    await queries.invalidateQueries({ queryKey: secretsOf(tenantId) });
    toast({ message: w.stored(key) });
  };
}

type ValueProps = {
  readonly field: object;
  readonly onFile: (text: string) => void;
  readonly isFirst?: boolean;
};

function ValueField({ field, onFile, isFirst = false }: ValueProps) {
  const w = useWords(words);
  return (
    <div>
      <Textarea
        label={w.value}
        description={w.valueHint}
        required
        autosize
        minRows={3}
        maxRows={10}
        autoComplete="off"
        spellCheck={false}
        ff="monospace"
        {...(isFirst ? { "data-autofocus": true } : {})}
        {...field}
      />
      <FileButton onChange={(file) => void file?.text().then(onFile)}>
        {(props) => (
          <Button
            {...props}
            mt="xs"
            size="xs"
            variant="default"
            leftSection={<IconFileUpload size={16} stroke={1.6} />}
          >
            {w.fromFile}
          </Button>
        )}
      </FileButton>
    </div>
  );
}
