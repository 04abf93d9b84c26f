import { Button, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { FormDialog } from "../parts/form/form-dialog.tsx";
import { words as partWords } from "../parts/words.ts";
import { useWords } from "../words/language.ts";
import { FILE_KINDS } from "./editor/completion.ts";
import { words } from "./words.ts";

type PathProblem = (path: string) => string | undefined;

function usePathProblem(taken: (path: string) => boolean): PathProblem {
  const w = useWords(words);
  return (path) => {
    if (path === "" || path.endsWith("/") || /[<>]/.test(path)) return w.pathNeeded;
    return taken(path) ? w.pathTaken : undefined;
  };
}

type RenameProps = {
  readonly path: string;
  readonly taken: (path: string) => boolean;
  readonly onRename: (path: string) => void;
  readonly onClose: () => void;
};

export function RenameDialog({ path, taken, onRename, onClose }: RenameProps) {
  const w = useWords(words);
  const [name, setName] = useState(path);
  const [problem, setProblem] = useState<string>();
  const problemOf = usePathProblem(taken);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = problemOf(name);
    setProblem(found);
    if (found !== undefined) return;
    onRename(name);
    onClose();
  };
  return (
    <FormDialog operation="tenant.patch" opened onClose={onClose} title={w.renameTitle(path)}>
      <form onSubmit={submit} noValidate>
        <TextInput
          label={w.path}
          description={w.pathHint}
          value={name}
          error={problem}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        <End verb={w.rename} onCancel={onClose} />
      </form>
    </FormDialog>
  );
}

const OWN = "own";
/** Kinds of file with a name that people choose come first. */
const KINDS = [...FILE_KINDS].sort(
  (left, right) => Number(right.path.includes("<")) - Number(left.path.includes("<")),
);

type NewFileProps = {
  readonly taken: (path: string) => boolean;
  readonly onCreate: (path: string, content: string) => void;
  readonly onClose: () => void;
};

/** A new file begins with an example of its kind. */
export function NewFileDialog({ taken, onCreate, onClose }: NewFileProps) {
  const w = useWords(words);
  const [kind, setKind] = useState(KINDS[0]?.path ?? OWN);
  const [path, setPath] = useState(startOf(kind));
  const [problem, setProblem] = useState<string>();
  const problemOf = usePathProblem(taken);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = problemOf(path);
    setProblem(found);
    if (found !== undefined) return;
    onCreate(path, KINDS.find((one) => one.path === kind)?.example ?? "");
    onClose();
  };
  return (
    <FormDialog operation="tenant.patch" opened onClose={onClose} title={w.newFile}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <NativeSelect
            label={w.kind}
            value={kind}
            data={[
              ...KINDS.map((one) => ({ value: one.path, label: one.path })),
              { value: OWN, label: w.ownPath },
            ]}
            onChange={({ currentTarget: { value } }) => {
              setKind(value);
              setPath(startOf(value));
            }}
          />
          <TextInput
            label={w.path}
            description={w.pathHint}
            value={path}
            error={problem}
            onChange={(event) => setPath(event.currentTarget.value)}
            data-autofocus
          />
        </Stack>
        <End verb={w.create} onCancel={onClose} />
      </form>
    </FormDialog>
  );
}

const NAMES: Readonly<Record<string, string>> = { passType: "card", language: "fr" };

/** A path that can be taken as it is, with a name in the place of each variable. */
function startOf(kind: string): string {
  return kind === OWN ? "" : kind.replace(/<(\w+)>/g, (_all, name: string) => NAMES[name] ?? name);
}

function End({ verb, onCancel }: { verb: string; onCancel: () => void }) {
  const parts = useWords(partWords);
  return (
    <Group justify="flex-end" mt="lg">
      <Button variant="default" onClick={onCancel}>
        {parts.cancel}
      </Button>
      <Button type="submit">{verb}</Button>
    </Group>
  );
}
