import {
  Button,
  FileInput,
  Group,
  PasswordInput,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
} from "@mantine/core";
import { IconFileCertificate } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTenantId } from "../navigation.tsx";
import { CodeBlock } from "../parts/copy.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { FormDialog } from "../parts/form/form-dialog.tsx";
import { FormEnd } from "../parts/form/form-end.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import { toast } from "../parts/toast.tsx";
import { useWords } from "../words/language.ts";
import { base64Of } from "./file-io.ts";
import {
  type CertificateSent,
  type CertificateStored,
  publishFiles,
  putCertificate,
  walletsOf,
} from "./wallet.ts";
import { Problems } from "./wallet-parts.tsx";
import { words } from "./words.ts";

const ACCEPTED = ".p12,.pfx,.cer,.crt,.pem";

type Values = {
  form: string;
  file: File | null;
  certificate: string;
  key: string;
  passphrase: string;
  intermediate: File | null;
};

async function sentOf(values: Values): Promise<CertificateSent> {
  const { form, file, certificate, key, passphrase, intermediate } = values;
  const sent: Record<string, string> = {};
  if (form === "file" && file !== null) sent.file = await base64Of(file);
  if (form === "text" && certificate !== "") sent.certificate = certificate;
  if (key !== "") sent.key = key;
  if (passphrase !== "") sent.passphrase = passphrase;
  if (intermediate !== null) sent.intermediate = await base64Of(intermediate);
  return sent;
}

export function UploadDialog({ onClose }: { readonly onClose: () => void }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const [stored, setStored] = useState<CertificateStored>();
  const form = useApiForm<Values>({
    initialValues: {
      form: "file",
      file: null,
      certificate: "",
      key: "",
      passphrase: "",
      intermediate: null,
    },
    send: async (values) => {
      const answer = await putCertificate(tenantId, await sentOf(values));
      await queries.invalidateQueries({ queryKey: walletsOf(tenantId) });
      const isAllDone = Object.keys(answer.files).length === 0 && answer.problems.length === 0;
      if (!isAllDone) return setStored(answer);
      onClose();
      toast({ message: answer.slot === "current" ? w.storedCurrent : w.storedNext });
    },
  });
  return (
    <FormDialog
      operation="apple-certificate.put"
      opened
      onClose={onClose}
      isDirty={stored === undefined && form.isDirty()}
      title={stored === undefined ? w.upload : w.stored}
      size="lg"
    >
      {stored === undefined ? (
        <form onSubmit={form.submit} noValidate>
          <Fields values={form.values} field={form.field} />
          <FormEnd form={form} verb={w.upload} onCancel={onClose} />
        </form>
      ) : (
        <Stored stored={stored} onClose={onClose} />
      )}
    </FormDialog>
  );
}

type FieldsProps = {
  readonly values: Values;
  readonly field: (name: keyof Values) => object;
};

function Fields({ values, field }: FieldsProps) {
  const w = useWords(words);
  const passphrase = field("passphrase") as { error?: string };
  return (
    <Stack gap="lg">
      <Text>{w.uploadText}</Text>
      <SegmentedControl
        aria-label={w.form}
        data={[
          { value: "file", label: w.asFile },
          { value: "text", label: w.asText },
        ]}
        {...field("form")}
      />
      {values.form === "file" ? (
        <FileInput
          label={w.file}
          description={w.fileHint}
          placeholder={w.choose}
          accept={ACCEPTED}
          leftSection={<IconFileCertificate size={18} stroke={1.6} />}
          required
          {...field("file")}
        />
      ) : (
        <Textarea
          label={w.certificate}
          description={w.certificateHint}
          autosize
          minRows={3}
          maxRows={8}
          spellCheck={false}
          required
          {...field("certificate")}
        />
      )}
      <PasswordInput
        label={w.passphrase}
        description={w.passphraseHint}
        autoComplete="off"
        // This kind of field does not say so by itself.
        aria-invalid={Boolean(passphrase.error)}
        {...passphrase}
      />
      <Textarea
        label={w.key}
        description={w.keyHint}
        placeholder="-----BEGIN PRIVATE KEY-----"
        autosize
        minRows={2}
        maxRows={6}
        autoComplete="off"
        spellCheck={false}
        {...field("key")}
      />
      <FileInput
        label={w.intermediate}
        description={w.intermediateHint}
        placeholder={w.choose}
        accept=".cer,.crt,.pem"
        leftSection={<IconFileCertificate size={18} stroke={1.6} />}
        {...field("intermediate")}
      />
    </Stack>
  );
}

/** The certificate is there; a file may be missing without which it is not used. */
function Stored({ stored, onClose }: { stored: CertificateStored; onClose: () => void }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const files = Object.entries(stored.files);
  const publish = async () => {
    try {
      await publishFiles(tenantId, stored.files);
      await queries.invalidateQueries({ queryKey: walletsOf(tenantId) });
      onClose();
      toast({ message: w.published });
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Stack>
      <Problems problems={stored.problems} />
      {files.length > 0 && <Text>{w.publishText}</Text>}
      {files.map(([path, text]) => (
        <CodeBlock key={path} label={path} code={`# ${path}\n${text}`} />
      ))}
      <ErrorDisplay error={error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {files.length > 0 ? w.later : w.done}
        </Button>
        {files.length > 0 && (
          <ScopedButton operation="tenant.patch" onClick={() => void publish()}>
            {w.publish}
          </ScopedButton>
        )}
      </Group>
    </Stack>
  );
}
