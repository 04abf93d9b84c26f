import { Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useTenantId } from "../navigation.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { ApiFormDialog } from "../parts/form/api-form-dialog.tsx";
import { toast } from "../parts/toast.tsx";
import { useWords } from "../words/language.ts";
import { noteRefund, type Receipt, receiptsOf } from "./receipt.ts";
import { words } from "./words.ts";

type Values = { readonly reference: string; readonly amount: string; readonly reason: string };

export function RefundDialog({ receipt, onClose }: { receipt: Receipt; onClose: () => void }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const form = useApiForm<Values>({
    initialValues: { reference: "", amount: "", reason: "" },
    send: async ({ reference, amount, reason }) => {
      const why = reason === "" ? {} : { reason };
      // As text, because a number of this language would lose digits.
      const refund = { reference, amount: amount.trim().replace(",", "."), ...why };
      await noteRefund(tenantId, receipt.receiptId, refund);
      await queries.invalidateQueries({ queryKey: receiptsOf(tenantId) });
      onClose();
      toast({ message: w.noted });
    },
  });
  return (
    <ApiFormDialog
      form={form}
      operation="receipt.refund"
      onClose={onClose}
      title={w.refund}
      verb={w.refund}
    >
      <Stack>
        <Text size="sm" c="dimmed">
          {w.refundHint}
        </Text>
        <TextInput
          label={`${w.amount} (${receipt.currency})`}
          inputMode="decimal"
          required
          autoComplete="off"
          data-autofocus
          {...form.field("amount")}
        />
        <TextInput
          label={w.refundReference}
          description={w.refundReferenceHint}
          required
          maxLength={200}
          {...form.field("reference")}
        />
        <TextInput label={w.reason} maxLength={200} {...form.field("reason")} />
      </Stack>
    </ApiFormDialog>
  );
}
