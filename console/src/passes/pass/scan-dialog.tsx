import {
  Button,
  Checkbox,
  Group,
  NativeSelect,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTenantId } from "../../navigation.tsx";
import { useApiForm } from "../../parts/form/api-form.ts";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { FormEnd } from "../../parts/form/form-end.tsx";
import { useWords } from "../../words/language.ts";
import type { Pass } from "../pass.ts";
import { getContent, type Privilege, passKey, type ScanAnswer, scanPass } from "./calls.ts";
import classes from "./pass.module.css";
import { words } from "./words.ts";

type Props = {
  readonly pass: Pass;
  readonly privileges: readonly Privilege[];
  readonly onClose: () => void;
};
type Values = {
  readonly data: string;
  readonly type: string;
  readonly location: string;
  readonly privilegeId: string;
  readonly amount: string;
  readonly dryRun: boolean;
};

const TYPES = ["qrcode", "pdf417", "aztec", "code128", "nfc", "manual"];
/** Templates say it shorter. */
const typeOf = (format: string | undefined): string =>
  TYPES.find((type) => type === format) ?? "qrcode";

/** Reads the code that is on the pass, as a scanner at a door would. */
export function ScanDialog(props: Props) {
  const tenantId = useTenantId();
  const { data: content } = useQuery({
    queryKey: [...passKey(tenantId, props.pass.id), "content", undefined],
    queryFn: () => getContent(tenantId, props.pass.id, undefined),
  });
  const code = content?.barcode;
  if (content === undefined) return undefined;
  return <ScanForm {...props} data={code?.message ?? props.pass.id} type={typeOf(code?.format)} />;
}

function ScanForm({
  pass,
  privileges,
  onClose,
  data,
  type,
}: Props & Pick<Values, "data" | "type">) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const [answer, setAnswer] = useState<ScanAnswer>();
  const form = useApiForm<Values>({
    initialValues: { data, type, location: "", privilegeId: "", amount: "1", dryRun: false },
    fieldOf: (path) => path.replace(/^redeem\./, ""),
    send: async ({ privilegeId, amount, location, dryRun, ...read }) => {
      const told = await scanPass(tenantId, {
        ...read,
        ...(location === "" ? {} : { location }),
        ...(privilegeId === "" ? {} : { redeem: { privilegeId, amount: amount.trim() } }),
        ...(dryRun ? { dryRun } : {}),
      });
      setAnswer(told);
      await queries.invalidateQueries({ queryKey: passKey(tenantId, pass.id) });
    },
  });
  if (answer !== undefined) {
    return (
      <FormDialog operation="scan.create" opened onClose={onClose} title={w.scanTitle}>
        <Answer answer={answer} />
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={() => setAnswer(undefined)}>
            {w.again}
          </Button>
          <Button onClick={onClose}>{w.done}</Button>
        </Group>
      </FormDialog>
    );
  }
  return (
    <FormDialog
      operation="scan.create"
      opened
      onClose={onClose}
      isDirty={form.isDirty()}
      title={w.scanTitle}
    >
      <form onSubmit={form.submit} noValidate>
        <Stack>
          <Text c="dimmed">{w.scanLead}</Text>
          <TextInput label={w.code} {...form.field("data")} />
          <NativeSelect label={w.codeType} data={TYPES} {...form.field("type")} />
          <NativeSelect
            label={w.redeem}
            data={[
              { value: "", label: w.redeemNothing },
              ...privileges.map(({ privilegeId, name }) => ({ value: privilegeId, label: name })),
            ]}
            {...form.field("privilegeId")}
          />
          {form.values.privilegeId !== "" && (
            <TextInput label={w.amount} inputMode="decimal" {...form.field("amount")} />
          )}
          <TextInput label={w.location} maxLength={200} {...form.field("location")} />
          <Checkbox
            label={w.dryRun}
            checked={form.values.dryRun}
            onChange={(event) => form.setValues({ dryRun: event.currentTarget.checked })}
          />
        </Stack>
        <FormEnd form={form} verb={w.scanVerb} onCancel={onClose} />
      </form>
    </FormDialog>
  );
}

function Answer({ answer }: { readonly answer: ScanAnswer }) {
  const w = useWords(words);
  const isAccepted = answer.decision === "accepted";
  return (
    <div className={classes.answer} data-rejected={!isAccepted || undefined} role="status">
      <Title order={3}>{isAccepted ? w.accepted : w.rejected}</Title>
      {answer.reason !== null && <Text>{answer.reason}</Text>}
      {answer.movement !== undefined && (
        <Text>
          {answer.movement.privilegeId}: {answer.movement.valueBefore ?? "–"} →{" "}
          {answer.movement.valueAfter ?? "–"}
        </Text>
      )}
    </div>
  );
}
