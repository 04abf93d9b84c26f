import { Button, Group, Stack } from "@mantine/core";
import { useWords } from "../../words/language.ts";
import { ErrorDisplay } from "../error-display.tsx";
import { words } from "../words.ts";

type Props = {
  readonly form: { readonly problem: unknown; readonly isSending: boolean };
  /** What the form does, such as "Save". */
  readonly verb: string;
  readonly onCancel: () => void;
  readonly isDisabled?: boolean;
};

/** The end of a form: what went wrong, the way out, and the button that sends it. */
export function FormButtons({ form, verb, onCancel, isDisabled = false }: Props) {
  const w = useWords(words);
  return (
    <Stack mt="lg">
      <ErrorDisplay error={form.problem} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {w.cancel}
        </Button>
        <Button type="submit" loading={form.isSending} disabled={isDisabled}>
          {verb}
        </Button>
      </Group>
    </Stack>
  );
}
