import { Checkbox, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useMissingScope } from "../api/rights.ts";
import { useTenantId, useToastLink } from "../navigation.tsx";
import { confirm } from "../parts/confirm.tsx";
import { toast } from "../parts/toast.tsx";
import { words as partWords } from "../parts/words.ts";
import { useWords } from "../words/language.ts";
import { type Customer, customersOf, eraseCustomer, nameOf } from "./customer.ts";
import { words } from "./words.ts";

/** Asks with all consequences, because nobody can bring the person back. */
export function useErase(onErased: () => void): (customer: Customer) => void {
  const w = useWords(words);
  const parts = useWords(partWords);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const missing = useMissingScope("pass.delete");
  const linkTo = useToastLink();
  return (customer) => {
    let withPasses = false;
    confirm({
      title: w.eraseTitle(nameOf(customer)),
      text: (
        <>
          <Text mb="md">{w.eraseText}</Text>
          <Checkbox
            label={w.erasePasses}
            description={missing === undefined ? w.erasePassesHint : parts.lacks(missing)}
            disabled={missing !== undefined}
            onChange={(event) => {
              withPasses = event.currentTarget.checked;
            }}
          />
        </>
      ),
      verb: w.erase,
      typed: w.eraseWord,
      isHarmful: true,
      act: async () => {
        await eraseCustomer(tenantId, customer.customerId, withPasses);
        onErased();
        await queries.invalidateQueries({ queryKey: customersOf(tenantId) });
        toast({ message: w.erased, link: linkTo("audit") });
      },
    });
  };
}
