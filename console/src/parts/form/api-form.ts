import { useForm } from "@mantine/form";
import { type FormEvent, useEffect, useState } from "react";
import { ApiProblem } from "../../api/problem.ts";

type Options<Values extends Record<string, unknown>> = {
  readonly initialValues: Values;
  /** Sends the values. What the API says about single fields is shown at those fields. */
  readonly send: (values: Values) => Promise<unknown>;
  /** The field for a path of the API, if the names differ: `{ "scopes[0]": "scopes" }` is known. */
  readonly fieldOf?: (path: string) => string;
  /** The field for a problem with a code, such as a name that is taken. */
  readonly fieldOfCode?: Readonly<Record<string, keyof Values & string>>;
};

/** `scopes[2]` belongs to the field `scopes`. */
const withoutIndex = (path: string): string => path.replace(/\[\d+\].*$/, "");

/**
 * The pattern of all forms: values stay as they were typed whatever happens, the API judges them, and
 * its words stand at the fields that it names.
 */
export function useApiForm<Values extends Record<string, unknown>>({
  initialValues,
  send,
  fieldOf = withoutIndex,
  fieldOfCode = {},
}: Options<Values>) {
  const form = useForm<Values>({ initialValues });
  const [problem, setProblem] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const [refusals, setRefusals] = useState(0);
  // Once the fields show what was refused, and not before.
  useEffect(() => {
    if (refusals > 0) focusFirst();
  }, [refusals]);

  const explain = (error: unknown) => {
    const problems = error instanceof ApiProblem ? fieldProblems(error, fieldOf, fieldOfCode) : {};
    const own = Object.fromEntries(
      Object.entries(problems).filter(([name]) => name in initialValues),
    );
    form.setErrors(own);
    // A problem that stands at its field needs no second place.
    const isAllShown =
      Object.keys(own).length > 0 && Object.keys(own).length === Object.keys(problems).length;
    setProblem(isAllShown ? undefined : error);
    setRefusals((count) => count + 1);
  };

  const submit = async (event?: FormEvent) => {
    event?.preventDefault();
    if (isSending) return;
    setSending(true);
    setProblem(undefined);
    form.clearErrors();
    try {
      await send(form.getValues());
    } catch (error) {
      explain(error);
    } finally {
      setSending(false);
    }
  };

  return {
    values: form.values,
    setValues: form.setValues,
    isDirty: form.isDirty,
    field: form.getInputProps,
    submit: (event?: FormEvent) => void submit(event),
    problem,
    isSending,
  };
}

function fieldProblems(
  error: ApiProblem,
  fieldOf: (path: string) => string,
  fieldOfCode: Readonly<Record<string, string>>,
): Record<string, string> {
  const byCode = fieldOfCode[error.code];
  if (byCode !== undefined) return { [byCode]: error.message };
  return Object.fromEntries(
    Object.entries(error.fields).map(([path, reasons]) => [fieldOf(path), reasons.join(" ")]),
  );
}

/**
 * A group of fields has no state of its own, so it is marked by `data-problem` and `tabIndex={-1}`. It
 * may be taller than the dialog: its beginning says what is wrong.
 */
function focusFirst(): void {
  const first = document.querySelector<HTMLElement>(':is([aria-invalid="true"], [data-problem])');
  first?.focus({ preventScroll: true });
  first?.scrollIntoView({ block: first.dataset.problem === undefined ? "center" : "start" });
}
