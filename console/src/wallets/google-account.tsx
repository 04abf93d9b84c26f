import { FileInput, Stack, Text, TextInput } from "@mantine/core";
import { IconFileTypeJs } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useTenantId } from "../navigation.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { ApiFormDialog } from "../parts/form/api-form-dialog.tsx";
import { toast } from "../parts/toast.tsx";
import { useWords } from "../words/language.ts";
import { type GoogleHealth, googleFile, publishFiles, putAccount, walletsOf } from "./wallet.ts";
import { words } from "./words.ts";

const ISSUER_CHARS_MAX = 30;

type Props = { readonly health: GoogleHealth; readonly onClose: () => void };

export function AccountDialog({ health, onClose }: Props) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  // Somebody who stored the key before may come back for the issuer alone.
  const lacksIssuer = health.issuerId === null;
  const mayKeep = health.account !== null && lacksIssuer;
  const form = useApiForm<{ file: File | null; issuerId: string }>({
    initialValues: { file: null, issuerId: "" },
    send: async ({ file, issuerId: typed }) => {
      if (file === null && !(mayKeep && typed !== "")) throw new Error(w.noFile);
      if (file !== null) await putAccount(tenantId, await jsonOf(file, w.notJson));
      if (typed !== "") await publishFiles(tenantId, googleFile(typed.trim()));
      await queries.invalidateQueries({ queryKey: walletsOf(tenantId) });
      onClose();
      toast({ message: w.accountStored });
    },
  });
  return (
    <ApiFormDialog
      form={form}
      operation="google-account.put"
      onClose={onClose}
      title={w.uploadAccount}
      size="lg"
      verb={w.uploadAccount}
    >
      <Stack gap="lg">
        <Text>{w.uploadAccountText}</Text>
        <FileInput
          label={w.accountFile}
          placeholder={w.choose}
          accept=".json,application/json"
          leftSection={<IconFileTypeJs size={18} stroke={1.6} />}
          required={!mayKeep}
          description={mayKeep ? w.fileKept : undefined}
          {...form.field("file")}
        />
        {lacksIssuer && (
          <TextInput
            label={w.issuerId}
            description={w.issuerIdHint}
            placeholder="3388000000012345678"
            inputMode="numeric"
            maxLength={ISSUER_CHARS_MAX}
            autoComplete="off"
            {...form.field("issuerId")}
          />
        )}
      </Stack>
    </ApiFormDialog>
  );
}

async function jsonOf(file: File, complaint: string): Promise<unknown> {
  const text = await file.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(complaint);
  }
}
