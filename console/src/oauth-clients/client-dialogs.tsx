import { Button, Checkbox, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { CodeBlock } from "../parts/copy.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { ApiFormDialog } from "../parts/form/api-form-dialog.tsx";
import { FormDialog } from "../parts/form/form-dialog.tsx";
import { FormEnd } from "../parts/form/form-end.tsx";
import { toast } from "../parts/toast.tsx";
import { ValueBox } from "../parts/value-box.tsx";
import { settings } from "../settings.ts";
import { useWords } from "../words/language.ts";
import {
  CLIENTS,
  type ClientFields,
  fieldsOf,
  type OAuthClient,
  registerClient,
  updateClient,
} from "./client.ts";
import { words } from "./words.ts";

const NAME_CHARS_MAX = 100;

/** Addresses are typed one to a line. */
type Values = { name: string; redirectUris: string; flows: string[] };

function sentOf({ name, redirectUris, flows }: Values): ClientFields {
  const lines = redirectUris.split("\n").map((line) => line.trim());
  return {
    name,
    redirectUris: lines.filter((line) => line !== ""),
    flows: flows as NonNullable<ClientFields["flows"]>,
  };
}

type RegisterProps = { readonly opened: boolean; readonly onClose: () => void };

export function RegisterDialog({ opened, onClose }: RegisterProps) {
  const w = useWords(words);
  const queries = useQueryClient();
  const [made, setMade] = useState<OAuthClient>();
  const form = useApiForm<Values>({
    initialValues: { name: "", redirectUris: "", flows: ["authorizationCode"] },
    send: async (values) => {
      setMade(await registerClient(sentOf(values)));
      await queries.invalidateQueries({ queryKey: CLIENTS });
    },
  });
  return (
    <FormDialog
      operation="oauth-client.create"
      opened={opened}
      onClose={onClose}
      isDirty={made === undefined && form.isDirty()}
      title={made === undefined ? w.register : w.registeredTitle}
      size="lg"
    >
      {made === undefined ? (
        <form onSubmit={form.submit} noValidate>
          <Fields field={form.field} />
          <FormEnd form={form} verb={w.register} onCancel={onClose} />
        </form>
      ) : (
        <Registered client={made} onDone={onClose} />
      )}
    </FormDialog>
  );
}

function Registered({ client, onDone }: { client: OAuthClient; onDone: () => void }) {
  const w = useWords(words);
  const query = new URLSearchParams({
    client_id: client.clientId,
    response_type: "code",
    redirect_uri: client.redirectUris[0] ?? "",
    code_challenge_method: "S256",
  });
  const url = `${settings.baseUrl}/authorize?${query}&code_challenge=…&state=…`;
  return (
    <Stack>
      <Text>{w.registeredText}</Text>
      <ValueBox value={client.clientId} label={w.clientId} />
      <div>
        <Text size="sm" fw={600} mb={6}>
          {w.startAt}
        </Text>
        <CodeBlock code={url} label={w.startAt} />
      </div>
      <Group justify="flex-end">
        <Button onClick={onDone}>{w.done}</Button>
      </Group>
    </Stack>
  );
}

type EditProps = { readonly client: OAuthClient; readonly onClose: () => void };

export function EditDialog({ client, onClose }: EditProps) {
  const w = useWords(words);
  const queries = useQueryClient();
  const { clientId, name, redirectUris, flows } = client;
  const form = useApiForm<Values>({
    initialValues: { name, redirectUris: redirectUris.join("\n"), flows: [...flows] },
    send: async (values) => {
      await updateClient(clientId, sentOf(values));
      await queries.invalidateQueries({ queryKey: CLIENTS });
      onClose();
      toast({
        message: w.changed(values.name),
        undo: async () => {
          await updateClient(clientId, fieldsOf(client));
          await queries.invalidateQueries({ queryKey: CLIENTS });
        },
      });
    },
  });
  return (
    <ApiFormDialog
      form={form}
      operation="oauth-client.update"
      onClose={onClose}
      title={w.editTitle(name)}
      size="lg"
      verb={w.save}
    >
      <Fields field={form.field} />
    </ApiFormDialog>
  );
}

function Fields({ field }: { field: (name: keyof Values) => object }) {
  const w = useWords(words);
  return (
    <Stack gap="lg">
      <TextInput
        label={w.name}
        description={w.nameHint}
        required
        maxLength={NAME_CHARS_MAX}
        autoComplete="off"
        data-autofocus
        {...field("name")}
      />
      <Textarea
        label={w.redirects}
        description={w.redirectsHint}
        placeholder="https://intranet.example.com/callback"
        required
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        {...field("redirectUris")}
      />
      <Checkbox.Group label={w.flows} {...field("flows")}>
        <Stack gap="sm" mt="xs">
          <Checkbox value="authorizationCode" label={w.code} description={w.codeHint} />
          <Checkbox value="implicit" label={w.implicit} description={w.implicitHint} />
        </Stack>
      </Checkbox.Group>
    </Stack>
  );
}
