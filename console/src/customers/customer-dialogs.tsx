import { useQueryClient } from "@tanstack/react-query";
import { useTenantId } from "../navigation.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { ApiFormDialog } from "../parts/form/api-form-dialog.tsx";
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
    <ApiFormDialog
      form={form}
      operation="customer.create"
      opened={opened}
      onClose={onClose}
      title={w.create}
      size="lg"
      verb={w.create}
    >
      <CustomerFields
        values={form.values}
        field={form.field}
        onIdentifiers={(identifiers) => form.setValues({ identifiers })}
      />
    </ApiFormDialog>
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
    <ApiFormDialog
      form={form}
      operation="customer.update"
      onClose={onClose}
      title={w.editTitle(nameOf(customer))}
      size="lg"
      verb={w.save}
    >
      <CustomerFields
        values={form.values}
        field={form.field}
        onIdentifiers={(identifiers) => form.setValues({ identifiers })}
      />
    </ApiFormDialog>
  );
}
