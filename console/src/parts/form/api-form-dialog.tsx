import type { ComponentProps, FormEvent } from "react";
import { FormDialog } from "./form-dialog.tsx";
import { FormEnd } from "./form-end.tsx";

type Props = Omit<ComponentProps<typeof FormDialog>, "opened" | "isDirty"> & {
  /** What `useApiForm` gives. */
  readonly form: {
    readonly isDirty: () => boolean;
    readonly submit: (event?: FormEvent) => void;
    readonly problem: unknown;
    readonly isSending: boolean;
  };
  /** What the form does, such as "Save". */
  readonly verb: string;
  readonly opened?: boolean;
};

/** A dialog that is one form, from its first field to its buttons. */
export function ApiFormDialog({ form, verb, opened = true, children, ...dialog }: Props) {
  return (
    <FormDialog {...dialog} opened={opened} isDirty={form.isDirty()}>
      <form onSubmit={form.submit} noValidate>
        {children}
        <FormEnd form={form} verb={verb} onCancel={dialog.onClose} />
      </form>
    </FormDialog>
  );
}
