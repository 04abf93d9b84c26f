import { NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiProblem } from "../api/problem.ts";
import { useGoTo, useTenantId } from "../navigation.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { ApiFormDialog } from "../parts/form/api-form-dialog.tsx";
import { newRow, readRows, type ValueRow } from "../parts/form/value-rows.ts";
import { ValueRowsInput } from "../parts/form/value-rows-input.tsx";
import { usePassTypes } from "../parts/pass-types.ts";
import { toast } from "../parts/toast.tsx";
import { useWords } from "../words/language.ts";
import { page as passPage } from "./pass/page.ts";
import { createPass, nameOf, passesOf } from "./pass.ts";
import { words } from "./words.ts";

type Values = {
  readonly passType: string;
  readonly identifiers: readonly ValueRow[];
  readonly additionalData: readonly ValueRow[];
};
type Part = "identifiers" | "additionalData";
type Problems = Readonly<Record<Part, Readonly<Record<string, string>>>>;

const NO_PROBLEMS: Problems = { identifiers: {}, additionalData: {} };
/** A field of a pass as the API names it, such as `additionalData.firstName`. */
const FIELD = /^(identifiers|additionalData)\.(.+)$/;

const fieldOf = (path: string): string => FIELD.exec(path)?.[1] ?? path;

/** What the API says of single members. */
function problemsOf(error: unknown): Problems {
  const found: Record<Part, Record<string, string>> = { identifiers: {}, additionalData: {} };
  if (!(error instanceof ApiProblem)) return found;
  for (const [path, reasons] of Object.entries(error.fields)) {
    const [, part, name = ""] = FIELD.exec(path) ?? [];
    if (part !== undefined) found[part as Part][name] = reasons.join(" ");
  }
  return found;
}

/** Rows for members that the API asks for and that nobody has typed yet. */
function withMissing(rows: readonly ValueRow[], problems: Readonly<Record<string, string>>) {
  const missing = Object.keys(problems).filter((name) => !rows.some((row) => row.name === name));
  const typed = rows.filter(({ name, text }) => name !== "" || text !== "");
  return missing.length === 0 ? rows : [...typed, ...missing.map((name) => newRow({ name }))];
}

export function CreateDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const types = usePassTypes(tenantId);
  const queries = useQueryClient();
  const goTo = useGoTo();
  const [problems, setProblems] = useState(NO_PROBLEMS);
  const form = useApiForm<Values>({
    initialValues: { passType: "", identifiers: [newRow()], additionalData: [newRow()] },
    fieldOf,
    send: async (values) => {
      const passType = values.passType || types[0] || "";
      if (passType === "") throw new Error(w.typeMissing);
      try {
        const made = await createPass(tenantId, {
          passType,
          identifiers: readRows(values.identifiers) as Record<string, string>,
          additionalData: readRows(values.additionalData),
        });
        await queries.invalidateQueries({ queryKey: passesOf(tenantId) });
        toast({ message: w.made(nameOf(made)) });
        goTo(passPage, { passId: made.id });
      } catch (error) {
        const found = problemsOf(error);
        setProblems(found);
        form.setValues({
          identifiers: withMissing(values.identifiers, found.identifiers),
          additionalData: withMissing(values.additionalData, found.additionalData),
        });
        throw error;
      }
    },
  });
  const { values } = form;
  return (
    <ApiFormDialog
      form={form}
      operation="pass.create"
      opened={opened}
      onClose={onClose}
      title={w.create}
      size="lg"
      verb={w.create}
    >
      <Stack>
        <Text c="dimmed">{w.createLead}</Text>
        {types.length > 0 ? (
          <NativeSelect
            label={w.passType}
            description={w.passTypeHint}
            data={[...types]}
            {...form.field("passType")}
            value={values.passType || types[0]}
          />
        ) : (
          <TextInput
            label={w.passType}
            description={w.passTypeHint}
            withAsterisk
            {...form.field("passType")}
          />
        )}
        <ValueRowsInput
          label={w.identifiers}
          description={w.identifiersHint}
          rows={values.identifiers}
          onChange={(identifiers) => form.setValues({ identifiers })}
          problems={problems.identifiers}
        />
        <ValueRowsInput
          label={w.additionalData}
          description={w.dataHint}
          rows={values.additionalData}
          onChange={(additionalData) => form.setValues({ additionalData })}
          kinds={["text", "number", "truth", "json"]}
          problems={problems.additionalData}
        />
      </Stack>
    </ApiFormDialog>
  );
}
