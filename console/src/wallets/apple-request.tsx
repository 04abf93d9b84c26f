import { Button, Group, List, Stack, Text, TextInput } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTenantId } from "../navigation.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { FormDialog } from "../parts/form/form-dialog.tsx";
import { FormEnd } from "../parts/form/form-end.tsx";
import { useWords } from "../words/language.ts";
import { downloadText } from "./file-io.ts";
import { makeRequest, type SigningRequest, walletsOf } from "./wallet.ts";
import { words } from "./words.ts";

const NAME_CHARS_MAX = 64;

/** The way to a certificate without a program for keys: the private key is made here and stays here. */
export function RequestDialog({ onClose }: { readonly onClose: () => void }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const [made, setMade] = useState<SigningRequest>();
  const form = useApiForm({
    initialValues: { commonName: "" },
    send: async ({ commonName }) => {
      setMade(await makeRequest(tenantId, commonName));
      await queries.invalidateQueries({ queryKey: walletsOf(tenantId) });
    },
  });
  return (
    <FormDialog
      operation="apple-certificate.request"
      opened
      onClose={onClose}
      isDirty={made === undefined && form.isDirty()}
      title={made === undefined ? w.request : w.requestMade}
      size="lg"
    >
      {made === undefined ? (
        <form onSubmit={form.submit} noValidate>
          <Stack>
            <Text>{w.requestText}</Text>
            <TextInput
              label={w.commonName}
              description={w.commonNameHint}
              placeholder={tenantId}
              maxLength={NAME_CHARS_MAX}
              autoComplete="off"
              data-autofocus
              {...form.field("commonName")}
            />
          </Stack>
          <FormEnd form={form} verb={w.request} onCancel={onClose} />
        </form>
      ) : (
        <Stack>
          <List type="ordered" spacing="xs">
            <List.Item>{w.stepOne}</List.Item>
            <List.Item>{w.stepTwo}</List.Item>
            <List.Item>{w.stepThree}</List.Item>
          </List>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {w.done}
            </Button>
            <Button
              data-autofocus
              leftSection={<IconDownload size={18} />}
              onClick={() =>
                downloadText(`${tenantId}.certSigningRequest`, made.request, "application/pkcs10")
              }
            >
              {w.download}
            </Button>
          </Group>
        </Stack>
      )}
    </FormDialog>
  );
}
