import { useQueryClient } from "@tanstack/react-query";
import { useTenantId } from "../navigation.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { FormDialog } from "../parts/form/form-dialog.tsx";
import { FormEnd } from "../parts/form/form-end.tsx";
import { toast } from "../parts/toast.tsx";
import { useWords } from "../words/language.ts";
import { type Customer, createCustomer, customersOf, nameOf, updateCustomer } from "./customer.ts";
import {
  CustomerFields,
  type CustomerValues,
  changeOf,
  creationOf,
  fieldOf,
  NEW_CUSTOMER,
  valuesOf,
} from "./customer-fields.tsx";
import { words } from "./words.ts";

type CreateProps = {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onMade: (customer: Customer) => void;
};

export function CreateDialog({ opened, onClose, onMade }: CreateProps) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const form = useApiForm<CustomerValues>({
    initialValues: NEW_CUSTOMER,
    fieldOf,
    send: async (values) => {
      const made = await createCustomer(tenantId, creationOf(values));
      await queries.invalidateQueries({ queryKey: customersOf(tenantId) });
      toast({ message: w.made(nameOf(made)) });
      onMade(made);
    },
  });
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      isDirty={form.isDirty()}
      title={w.create}
      size="lg"
    >
      <form onSubmit={form.submit} noValidate>
        <CustomerFields
          values={form.values}
          field={form.field}
          onIdentifiers={(identifiers) => form.setValues({ identifiers })}
        />
        <FormEnd form={form} verb={w.create} onCancel={onClose} />
      </form>
    </FormDialog>
  );
}

export function EditDialog({ customer, onClose }: { customer: Customer; onClose: () => void }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const { customerId } = customer;
  const refresh = () => queries.invalidateQueries({ queryKey: customersOf(tenantId) });
  const form = useApiForm<CustomerValues>({
    initialValues: valuesOf(customer),
    fieldOf,
    send: async (values) => {
      const changed = await updateCustomer(tenantId, customerId, changeOf(values, customer));
      await refresh();
      onClose();
      toast({
        message: w.changed(nameOf(changed)),
        undo: async () => {
          await updateCustomer(tenantId, customerId, changeOf(valuesOf(customer), changed));
          await refresh();
        },
      });
    },
  });
  return (
    <FormDialog
      opened
      onClose={onClose}
      isDirty={form.isDirty()}
      title={w.editTitle(nameOf(customer))}
      size="lg"
    >
      <form onSubmit={form.submit} noValidate>
        <CustomerFields
          values={form.values}
          field={form.field}
          onIdentifiers={(identifiers) => form.setValues({ identifiers })}
        />
        <FormEnd form={form} verb={w.save} onCancel={onClose} />
      </form>
    </FormDialog>
  );
}
