import { Switch } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { confirm } from "../parts/confirm.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { ApiFormDialog } from "../parts/form/api-form-dialog.tsx";
import { FormDialog } from "../parts/form/form-dialog.tsx";
import { FormEnd } from "../parts/form/form-end.tsx";
import { toast } from "../parts/toast.tsx";
import { usePerson } from "../session/session.ts";
import { useWords } from "../words/language.ts";
import {
  ADMINISTRATORS,
  type Administrator,
  type AdministratorFields as Fields,
  fieldsOf,
  type Invitation,
  inviteAdministrator,
  updateAdministrator,
} from "./administrator.ts";
import { AdministratorFields, type PersonValues, tenantsIn } from "./administrator-fields.tsx";
import { InvitationShown } from "./invitation-shown.tsx";
import { words } from "./words.ts";

const FIELD_OF_CODE = { "administrator.email-taken": "email" } as const;

type InviteProps = { readonly opened: boolean; readonly onClose: () => void };

export function InviteDialog({ opened, onClose }: InviteProps) {
  const w = useWords(words);
  const queries = useQueryClient();
  const [made, setMade] = useState<{ name: string; invitation: Invitation }>();
  const form = useApiForm<PersonValues>({
    initialValues: { name: "", email: "", role: "tenant", tenants: [] },
    fieldOfCode: FIELD_OF_CODE,
    send: async (values) => {
      const { name, email, role } = values;
      const sent = { name, email, role, tenants: tenantsIn(values) };
      const { invitation } = await inviteAdministrator(sent);
      setMade({ name, invitation });
      await queries.invalidateQueries({ queryKey: ADMINISTRATORS });
    },
  });
  return (
    <FormDialog
      operation="administrator.create"
      opened={opened}
      onClose={onClose}
      isDirty={made !== undefined || form.isDirty()}
      title={made === undefined ? w.invite : w.sendLink}
      size="lg"
    >
      {made === undefined ? (
        <form onSubmit={form.submit} noValidate>
          <AdministratorFields values={form.values} field={form.field} />
          <FormEnd form={form} verb={w.invite} onCancel={onClose} />
        </form>
      ) : (
        <InvitationShown {...made} onDone={onClose} />
      )}
    </FormDialog>
  );
}

type EditProps = { readonly administrator: Administrator; readonly onClose: () => void };

export function EditDialog({ administrator, onClose }: EditProps) {
  const w = useWords(words);
  const change = useChange();
  const { name, email, role, tenants, disabled } = administrator;
  const form = useApiForm<PersonValues & { maySignIn: boolean }>({
    initialValues: { name, email, role, tenants: [...tenants], maySignIn: !disabled },
    fieldOfCode: FIELD_OF_CODE,
    send: (values) =>
      change(
        administrator,
        {
          name: values.name,
          email: values.email,
          role: values.role,
          tenants: tenantsIn(values),
          disabled: !values.maySignIn,
        },
        w.changed(values.name),
        onClose,
      ),
  });
  return (
    <ApiFormDialog
      form={form}
      operation="administrator.update"
      onClose={onClose}
      title={w.editTitle(name)}
      size="lg"
      verb={w.save}
    >
      <AdministratorFields values={form.values} field={form.field} />
      <Switch
        mt="lg"
        label={w.maySignIn}
        description={w.maySignInHint}
        {...form.field("maySignIn", { type: "checkbox" })}
      />
    </ApiFormDialog>
  );
}

/** Whether this is the account of the person at the screen. */
export function useIsSelf(): (administrator: Administrator) => boolean {
  const person = usePerson();
  return ({ id, email }) => id === person.id || email === person.email;
}

/**
 * Changes an account, with the way back. Only for the last right of one's own there is none, so it asks
 * before that.
 */
export function useChange() {
  const w = useWords(words);
  const queries = useQueryClient();
  const isSelf = useIsSelf();
  return async (old: Administrator, fields: Fields, message: string, onDone?: () => void) => {
    const givesUp =
      isSelf(old) &&
      old.role === "global" &&
      (fields.role !== "global" || fields.disabled === true);
    const save = async (undo?: () => Promise<unknown>) => {
      await updateAdministrator(old.id, fields);
      onDone?.();
      await queries.invalidateQueries({ queryKey: ADMINISTRATORS });
      toast({ message, ...(undo === undefined ? {} : { undo }) });
    };
    if (givesUp) {
      confirm({
        title: w.changeSelfTitle,
        text: w.changeSelfText,
        verb: w.changeSelf,
        isHarmful: true,
        act: () => save(),
      });
      return;
    }
    await save(async () => {
      await updateAdministrator(old.id, fieldsOf(old));
      await queries.invalidateQueries({ queryKey: ADMINISTRATORS });
    });
  };
}
