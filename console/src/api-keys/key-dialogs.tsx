import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTenantId } from "../navigation.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { ApiFormDialog } from "../parts/form/api-form-dialog.tsx";
import { FormDialog } from "../parts/form/form-dialog.tsx";
import { FormEnd } from "../parts/form/form-end.tsx";
import { toast } from "../parts/toast.tsx";
import { useWords } from "../words/language.ts";
import { type ApiKey, createKey, isExpired, type KeyChange, keysOf, updateKey } from "./key.ts";
import { expiryOf, KeyFields, type KeyValues, NEW_KEY } from "./key-fields.tsx";
import type { ScopeName } from "./scopes.ts";
import { ShownOnce } from "./shown-once.tsx";
import { words } from "./words.ts";

/** Problems that belong to a field although the API names none. */
export const FIELD_OF_CODE = {
  "api-key.name-taken": "name",
  "api-key.scope-not-held": "scopes",
} as const;
/** The API names the moment; here it is chosen by two fields. */
export const fieldOf = (path: string): string =>
  path === "expiresAt" ? "ending" : path.replace(/\[\d+\]$/, "");

export function CreateDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const [token, setToken] = useState<string>();
  const form = useApiForm<KeyValues>({
    initialValues: NEW_KEY,
    fieldOf,
    fieldOfCode: FIELD_OF_CODE,
    send: async (values) => {
      const { name, scopes } = values;
      const made = await createKey(tenantId, { name, scopes, expiresAt: expiryOf(values) ?? null });
      setToken(made.token);
      await queries.invalidateQueries({ queryKey: keysOf(tenantId) });
    },
  });
  const isMade = token !== undefined;
  return (
    <FormDialog
      operation="api-key.create"
      opened={opened}
      onClose={onClose}
      isDirty={isMade || form.isDirty()}
      title={isMade ? w.showOnce : w.create}
      size={isMade ? "lg" : "xl"}
    >
      {isMade ? (
        <ShownOnce token={token} tenantId={tenantId} doneLabel={w.done} onDone={onClose} />
      ) : (
        <form onSubmit={form.submit} noValidate>
          <KeyFields
            values={form.values}
            field={form.field}
            onScopes={(scopes) => form.setValues({ scopes })}
          />
          <FormEnd form={form} verb={w.create} onCancel={onClose} />
        </form>
      )}
    </FormDialog>
  );
}

type EditProps = { readonly apiKey: ApiKey; readonly onClose: () => void };

export function EditDialog({ apiKey, onClose }: EditProps) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const form = useApiForm<KeyValues>({
    initialValues: {
      name: apiKey.name,
      scopes: apiKey.scopes as ScopeName[],
      ending: apiKey.expiresAt === null ? "never" : "keep",
      day: "",
    },
    fieldOf,
    fieldOfCode: FIELD_OF_CODE,
    send: async (values) => {
      const { name, scopes } = values;
      const expiresAt = expiryOf(values);
      const change = { name, scopes, ...(expiresAt === undefined ? {} : { expiresAt }) };
      await updateKey(tenantId, apiKey.name, change);
      await queries.invalidateQueries({ queryKey: keysOf(tenantId) });
      onClose();
      toast({
        message: w.changed(name),
        undo: () => updateKey(tenantId, name, asBefore(apiKey)),
      });
    },
  });
  return (
    <ApiFormDialog
      form={form}
      operation="api-key.update"
      onClose={onClose}
      title={w.editTitle(apiKey.name)}
      size="xl"
      verb={w.save}
    >
      <KeyFields
        values={form.values}
        field={form.field}
        onScopes={(scopes) => form.setValues({ scopes })}
        present={apiKey.expiresAt}
      />
    </ApiFormDialog>
  );
}

/** A moment that is over cannot be set again. */
function asBefore(apiKey: ApiKey): KeyChange {
  const { name, scopes, expiresAt } = apiKey;
  return { name, scopes: scopes as ScopeName[], ...(isExpired(apiKey) ? {} : { expiresAt }) };
}
