import { Alert, Anchor, Group, NumberInput, Stack, Switch, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTenantId } from "../navigation.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { FormDialog } from "../parts/form/form-dialog.tsx";
import { FormEnd } from "../parts/form/form-end.tsx";
import { useWords } from "../words/language.ts";
import { type ScanAnswer, scansOf, tryScan } from "./scan.ts";
import { Movement, Privileges, Verdict } from "./verdict.tsx";
import { words } from "./words.ts";

type Values = {
  readonly data: string;
  readonly location: string;
  readonly privilegeId: string;
  readonly amount: number | string;
  readonly dryRun: boolean;
};

const NEW_SCAN: Values = { data: "", location: "", privilegeId: "", amount: 1, dryRun: true };

type Props = {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onOpen: (scanId: string) => void;
};

/** A scan by hand. It changes nothing unless one asks for it. */
export function TryDialog({ opened, onClose, onOpen }: Props) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const [answer, setAnswer] = useState<ScanAnswer>();
  const form = useApiForm<Values>({
    initialValues: NEW_SCAN,
    fieldOf: (path) => path.replace(/^redeem\./, ""),
    send: async ({ data, location, privilegeId, amount, dryRun }) => {
      setAnswer(undefined);
      const redeem = privilegeId === "" ? {} : { redeem: { privilegeId, amount: String(amount) } };
      const place = location === "" ? {} : { location };
      setAnswer(await tryScan(tenantId, { data, type: "manual", dryRun, ...place, ...redeem }));
      if (!dryRun) await queries.invalidateQueries({ queryKey: scansOf(tenantId) });
    },
  });
  const { dryRun } = form.values;
  return (
    <FormDialog operation="scan.create" opened={opened} onClose={onClose} title={w.try} size="lg">
      <form onSubmit={form.submit} noValidate>
        <Stack>
          <TextInput
            label={w.tryCode}
            description={w.tryCodeHint}
            required
            autoComplete="off"
            maxLength={2048}
            data-autofocus
            {...form.field("data")}
          />
          <Group align="flex-end" wrap="nowrap">
            <TextInput
              flex={1}
              label={w.tryRedeem}
              description={w.tryRedeemHint}
              maxLength={100}
              {...form.field("privilegeId")}
            />
            <NumberInput w={96} label={w.amount} min={0} {...form.field("amount")} />
          </Group>
          <TextInput label={w.location} maxLength={200} {...form.field("location")} />
          <Switch
            label={w.dryRun}
            description={w.dryRunHint}
            {...form.field("dryRun", { type: "checkbox" })}
          />
          {answer !== undefined && <Answer answer={answer} onOpen={onOpen} />}
        </Stack>
        <FormEnd form={form} verb={dryRun ? w.look : w.scanNow} onCancel={onClose} />
      </form>
    </FormDialog>
  );
}

function Answer({ answer, onOpen }: { answer: ScanAnswer; onOpen: (scanId: string) => void }) {
  const w = useWords(words);
  const { scanId } = answer;
  return (
    <Stack gap="sm">
      <Verdict scan={answer} />
      {answer.pass !== null && <Privileges scan={answer} />}
      {answer.movement !== undefined && <Movement scan={answer} />}
      {answer.dryRun === true && <Alert color="gray">{w.wasDry}</Alert>}
      {answer.duplicateOf !== undefined && <Alert color="gray">{w.wasRepeated}</Alert>}
      {scanId !== null && (
        <Anchor component="button" type="button" ta="start" onClick={() => onOpen(scanId)}>
          {w.openRecord}
        </Anchor>
      )}
    </Stack>
  );
}
