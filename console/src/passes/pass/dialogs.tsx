import { NativeSelect, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { usePageSearch, useTenantId } from "../../navigation.tsx";
import { useApiForm } from "../../parts/form/api-form.ts";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { FormEnd } from "../../parts/form/form-end.tsx";
import { changeOf, rowsOf, type ValueRow } from "../../parts/form/value-rows.ts";
import { ValueRowsInput } from "../../parts/form/value-rows-input.tsx";
import { toast } from "../../parts/toast.tsx";
import { useFormat } from "../../words/format.ts";
import { useWords } from "../../words/language.ts";
import { type Message, notifyHolder, type Pass, type PassChange } from "../pass.ts";
import { createMovement, type Movement, type Privilege, passKey, updatePass } from "./calls.ts";
import { page } from "./page.ts";
import { usePrivileges } from "./privileges.tsx";
import { ScanDialog } from "./scan-dialog.tsx";
import { words } from "./words.ts";

/** The dialog that the address names. */
export function PassDialogs({ pass }: { readonly pass: Pass }) {
  const [search, setSearch] = usePageSearch(page);
  const close = () => setSearch({ do: undefined });
  const { data: privileges = [] } = usePrivileges(pass.id);
  if (search.do === "update") return <UpdateDialog pass={pass} onClose={close} />;
  if (search.do === "notify") return <NotifyDialog pass={pass} onClose={close} />;
  if (search.do === "scan") {
    return <ScanDialog pass={pass} privileges={privileges} onClose={close} />;
  }
  if (search.do === "move" && privileges.length > 0) {
    const first = privileges.find(({ privilegeId }) => privilegeId === search.privilege);
    return (
      <MoveDialog
        pass={pass}
        privileges={privileges}
        first={first ?? privileges[0]}
        onClose={close}
      />
    );
  }
  return undefined;
}

type DialogProps = { readonly pass: Pass; readonly onClose: () => void };

function useSaved(pass: Pass, onClose: () => void) {
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const lookAgain = () => queries.invalidateQueries({ queryKey: passKey(tenantId, pass.id) });
  return async (message: string, undo?: () => Promise<unknown>) => {
    await lookAgain();
    onClose();
    if (undo === undefined) return toast({ message });
    toast({ message, undo: () => undo().then(lookAgain) });
  };
}

type UpdateValues = {
  readonly identifiers: readonly ValueRow[];
  readonly additionalData: readonly ValueRow[];
  /** A day, or empty for never. */
  readonly expiration: string;
};

/** As an input for times wants it, in the zone of the person. */
function localOf(iso: string | null): string {
  if (iso === null) return "";
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function UpdateDialog({ pass, onClose }: DialogProps) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const saved = useSaved(pass, onClose);
  const expirationBefore = localOf(pass.expirationDate);
  const form = useApiForm<UpdateValues>({
    initialValues: {
      identifiers: rowsOf(pass.identifiers),
      additionalData: rowsOf(pass.additionalData),
      expiration: expirationBefore,
    },
    fieldOf: (path) => (path === "expirationDate" ? "expiration" : path),
    send: async ({ identifiers, additionalData, expiration }) => {
      const change = changeBetween(pass, identifiers, additionalData);
      if (expiration !== expirationBefore) {
        change.expirationDate = expiration === "" ? null : new Date(expiration).toISOString();
      }
      if (Object.keys(change).length === 0) throw new Error(w.nothingChanged);
      await updatePass(tenantId, pass.id, change as PassChange);
      const back = backOf(pass, change);
      await saved(w.saved, () => updatePass(tenantId, pass.id, back));
    },
  });
  return (
    <FormDialog
      operation="pass.update"
      opened
      onClose={onClose}
      isDirty={form.isDirty()}
      title={w.updateTitle}
      size="lg"
    >
      <form onSubmit={form.submit} noValidate>
        <Stack>
          <Text c="dimmed">{w.updateLead}</Text>
          <ValueRowsInput
            label={w.data}
            rows={form.values.additionalData}
            onChange={(additionalData) => form.setValues({ additionalData })}
            kinds={["text", "number", "truth", "json"]}
          />
          <ValueRowsInput
            label={w.identifiers}
            rows={form.values.identifiers}
            onChange={(identifiers) => form.setValues({ identifiers })}
          />
          <TextInput
            type="datetime-local"
            label={w.expires}
            description={w.expirationHint}
            {...form.field("expiration")}
          />
        </Stack>
        <FormEnd form={form} verb={w.save} onCancel={onClose} />
      </form>
    </FormDialog>
  );
}

function changeBetween(
  pass: Pass,
  identifiers: readonly ValueRow[],
  additionalData: readonly ValueRow[],
): Record<string, unknown> {
  const parts = {
    identifiers: changeOf(pass.identifiers, identifiers),
    additionalData: changeOf(pass.additionalData, additionalData),
  };
  return Object.fromEntries(
    Object.entries(parts).filter(([, members]) => Object.keys(members).length > 0),
  );
}

/** The change that takes this one back. */
function backOf(pass: Pass, change: Readonly<Record<string, unknown>>): PassChange {
  const before = (part: "identifiers" | "additionalData") =>
    Object.fromEntries(
      Object.keys((change[part] ?? {}) as object).map((name) => [name, pass[part][name] ?? null]),
    );
  const parts = (["identifiers", "additionalData"] as const).filter((part) => part in change);
  return {
    ...Object.fromEntries(parts.map((part) => [part, before(part)])),
    ...("expirationDate" in change ? { expirationDate: pass.expirationDate } : {}),
  };
}

function NotifyDialog({ pass, onClose }: DialogProps) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const saved = useSaved(pass, onClose);
  const form = useApiForm<Message>({
    initialValues: { title: "", content: "" },
    send: async (message) => {
      await notifyHolder(tenantId, pass.id, message);
      await saved(w.sent);
    },
  });
  return (
    <FormDialog
      operation="pass.notify"
      opened
      onClose={onClose}
      isDirty={form.isDirty()}
      title={w.notifyTitle}
      size="lg"
    >
      <form onSubmit={form.submit} noValidate>
        <Stack>
          <Text c="dimmed">{w.notifyLead}</Text>
          <TextInput label={w.messageTitle} maxLength={100} {...form.field("title")} />
          <Textarea
            label={w.message}
            withAsterisk
            autosize
            minRows={3}
            maxLength={500}
            {...form.field("content")}
          />
        </Stack>
        <FormEnd form={form} verb={w.send} onCancel={onClose} />
      </form>
    </FormDialog>
  );
}

type MoveProps = DialogProps & {
  readonly privileges: readonly Privilege[];
  readonly first: Privilege | undefined;
};
type MoveValues = {
  readonly privilegeId: string;
  readonly type: Movement["type"];
  readonly amount: string;
  readonly reason: string;
  readonly reference: string;
};

function MoveDialog({ pass, privileges, first, onClose }: MoveProps) {
  const w = useWords(words);
  const format = useFormat();
  const tenantId = useTenantId();
  const saved = useSaved(pass, onClose);
  const form = useApiForm<MoveValues>({
    initialValues: {
      privilegeId: first?.privilegeId ?? "",
      type: "issuance",
      amount: "1",
      reason: "",
      reference: "",
    },
    send: async ({ privilegeId, type, amount, reason, reference }) => {
      const moved = await createMovement(tenantId, pass.id, privilegeId, {
        type,
        amount: amount.trim().replace(",", "."),
        ...(reason === "" ? {} : { reason }),
        ...(reference === "" ? {} : { reference }),
      });
      const name = privileges.find((one) => one.privilegeId === privilegeId)?.name ?? privilegeId;
      const value = moved.valueAfter === null ? "–" : format.number(Number(moved.valueAfter));
      await saved(w.moved(name, value));
    },
  });
  const chosen = privileges.find(({ privilegeId }) => privilegeId === form.values.privilegeId);
  return (
    <FormDialog
      operation="movement.create"
      opened
      onClose={onClose}
      isDirty={form.isDirty()}
      title={w.moveTitle(chosen?.name ?? "")}
    >
      <form onSubmit={form.submit} noValidate>
        <Stack>
          <NativeSelect
            label={w.privilege}
            data={privileges.map(({ privilegeId, name }) => ({ value: privilegeId, label: name }))}
            {...form.field("privilegeId")}
          />
          <NativeSelect
            label={w.kind}
            data={[
              { value: "issuance", label: w.issuance },
              { value: "redemption", label: w.redemption },
              { value: "adjustment", label: w.adjustment },
            ]}
            {...form.field("type")}
          />
          <TextInput
            label={w.amount}
            description={form.values.type === "adjustment" ? w.amountHint : undefined}
            inputMode="decimal"
            withAsterisk
            {...form.field("amount")}
          />
          <TextInput label={w.reason} maxLength={500} {...form.field("reason")} />
          <TextInput label={w.reference} maxLength={200} {...form.field("reference")} />
        </Stack>
        <FormEnd form={form} verb={w.move} onCancel={onClose} />
      </form>
    </FormDialog>
  );
}
