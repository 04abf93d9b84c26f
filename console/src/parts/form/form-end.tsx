import { Button, Group, Stack } from "@mantine/core";
import { useWords } from "../../words/language.ts";
import { ErrorDisplay } from "../error-display.tsx";
import { words } from "../words.ts";

type Props = {
  readonly form: { readonly problem: unknown; readonly isSending: boolean };
  readonly verb: string;
  readonly onCancel: () => void;
};

/** The end of a form: what the API says of it as a whole, and the two ways out. */
export function FormEnd({ form, verb, onCancel }: Props) {
  const w = useWords(words);
  return (
    <Stack mt="lg">
      <ErrorDisplay error={form.problem} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {w.cancel}
        </Button>
        <Button type="submit" loading={form.isSending}>
          {verb}
        </Button>
      </Group>
    </Stack>
  );
}
