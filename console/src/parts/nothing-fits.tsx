import { Button } from "@mantine/core";
import { useWords } from "../words/language.ts";
import { EmptyState } from "./empty-state.tsx";
import { words } from "./words.ts";

/** For lists with filters of their own beside the one in the bar. */
export function NothingFits({ onClear }: { readonly onClear: () => void }) {
  const w = useWords(words);
  return (
    <EmptyState
      title={w.nothingFits}
      text={w.nothingFitsText}
      action={
        <Button variant="default" onClick={onClear}>
          {w.clearFilter}
        </Button>
      }
    />
  );
}
