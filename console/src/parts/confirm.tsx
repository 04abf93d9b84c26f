import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState, useSyncExternalStore } from "react";
import { useWords } from "../words/language.ts";
import { ErrorDisplay } from "./error-display.tsx";
import { words } from "./words.ts";

export type Question = {
  readonly title: string;
  /** What will happen, and to whom. */
  readonly text: ReactNode;
  /** A verb, such as "Revoke". */
  readonly verb: string;
  /** For what cannot be taken back and hurts: the person types this word. */
  readonly typed?: string;
  readonly isHarmful?: boolean;
  /** The dialog stays open until it is done, and shows why it could not be done. */
  readonly act: () => Promise<unknown> | undefined;
};

let question: Question | undefined;
const listeners = new Set<() => void>();

function set(next: Question | undefined): void {
  question = next;
  for (const listener of listeners) listener();
}

/** Asks before something that cannot be undone. What can be undone is done, with `toast({ undo })`. */
export const confirm = (asked: Question): void => set(asked);

export function ConfirmHost() {
  const w = useWords(words);
  const asked = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => question,
  );
  return (
    <Modal
      opened={asked !== undefined}
      onClose={() => set(undefined)}
      title={asked?.title}
      zIndex={300}
      closeButtonProps={{ "aria-label": w.close }}
    >
      {asked !== undefined && <Answer asked={asked} />}
    </Modal>
  );
}

function Answer({ asked }: { asked: Question }) {
  const w = useWords(words);
  const [typed, setTyped] = useState("");
  const [isActing, setActing] = useState(false);
  const [error, setError] = useState<unknown>();
  const mayAct = asked.typed === undefined || typed === asked.typed;
  const act = async () => {
    setActing(true);
    try {
      await asked.act();
      set(undefined);
    } catch (failure) {
      setError(failure);
    } finally {
      setActing(false);
    }
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (mayAct) void act();
      }}
    >
      <Stack>
        <Text component="div">{asked.text}</Text>
        {asked.typed !== undefined && (
          <TextInput
            label={w.typeToConfirm(asked.typed)}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        )}
        <ErrorDisplay error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={() => set(undefined)}>
            {w.cancel}
          </Button>
          <Button
            type="submit"
            color={asked.isHarmful === true ? "red" : undefined}
            disabled={!mayAct}
            loading={isActing}
          >
            {asked.verb}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
