import { Group, Loader, Text } from "@mantine/core";
import { IconPencil, IconTrash, IconUpload } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useMissingScope } from "../api/rights.ts";
import type { Finding } from "../parts/pass-preview/shapes.ts";
import { ScopedButton, ScopedIcon } from "../parts/scoped.tsx";
import { toast } from "../parts/toast.tsx";
import { useWords } from "../words/language.ts";
import { type FileContent, isText } from "./configuration.ts";
import { RenameDialog } from "./file-dialogs.tsx";
import { pickFile, readBase64 } from "./pick-file.ts";
import classes from "./templates.module.css";
import type { WorkingSet } from "./use-working-set.ts";
import { words } from "./words.ts";

const CodeEditor = lazy(async () => ({
  default: (await import("./editor/code-editor.tsx")).CodeEditor,
}));

type Props = {
  readonly working: WorkingSet;
  readonly path: string | undefined;
  readonly findings: readonly Finding[];
  readonly variables: readonly string[];
  readonly target: { readonly line: number; readonly column: number } | undefined;
  readonly onOpen: (path: string | undefined) => void;
};

/** The file that is opened: its name, what one can do with it, and what is in it. */
export function EditorPane({ working, path, findings, variables, target, onOpen }: Props) {
  const w = useWords(words);
  const isReadOnly = useMissingScope("tenant.patch") !== undefined;
  const content = path === undefined ? undefined : working.files[path];
  if (path === undefined || content === undefined) {
    return (
      <Text c="dimmed" p="xl">
        {w.chooseFile}
      </Text>
    );
  }
  return (
    <>
      <FileHead working={working} path={path} content={content} onOpen={onOpen} />
      {isText(content) ? (
        <Suspense fallback={<Loader type="dots" m="xl" />}>
          <CodeEditor
            path={path}
            value={content}
            label={w.editorOf(path)}
            isReadOnly={isReadOnly}
            findings={findings}
            variables={variables}
            target={target}
            onChange={(value) => working.edit(path, value)}
          />
        </Suspense>
      ) : (
        <Picture path={path} base64={content.base64} />
      )}
    </>
  );
}

type HeadProps = Pick<Props, "working" | "onOpen"> & {
  readonly path: string;
  readonly content: FileContent;
};

function FileHead({ working, path, content, onOpen }: HeadProps) {
  const w = useWords(words);
  const [isRenaming, setRenaming] = useState(false);
  const remove = () => {
    working.edit(path, null);
    onOpen(undefined);
    toast({
      message: w.removed(path),
      undo: async () => {
        working.edit(path, content);
        onOpen(path);
      },
    });
  };
  const replace = async () => {
    const file = await pickFile("image/png,image/jpeg,image/webp");
    if (file !== undefined) working.edit(path, { base64: await readBase64(file) });
  };
  return (
    <Group justify="space-between" wrap="nowrap" className={classes.fileHead}>
      <Text size="sm" fw={600} className={classes.filePath}>
        {path}
      </Text>
      <Group gap={4} wrap="nowrap">
        {!isText(content) && (
          <ScopedButton
            operation="tenant.patch"
            size="compact-sm"
            variant="default"
            leftSection={<IconUpload size={14} />}
            onClick={() => void replace()}
          >
            {w.replaceImage}
          </ScopedButton>
        )}
        <ScopedIcon operation="tenant.patch" label={w.rename} onClick={() => setRenaming(true)}>
          <IconPencil size={16} stroke={1.6} />
        </ScopedIcon>
        <ScopedIcon operation="tenant.patch" label={w.remove} onClick={remove}>
          <IconTrash size={16} stroke={1.6} />
        </ScopedIcon>
      </Group>
      {isRenaming && (
        <RenameDialog
          path={path}
          taken={(name) => working.files[name] !== undefined}
          onClose={() => setRenaming(false)}
          onRename={(name) => {
            working.edit(name, content);
            working.edit(path, null);
            onOpen(name);
            toast({ message: w.renamed(name) });
          }}
        />
      )}
    </Group>
  );
}

const TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
};

function Picture({ path, base64 }: { path: string; base64: string }) {
  const w = useWords(words);
  const [size, setSize] = useState("");
  const type = TYPES[path.split(".").at(-1)?.toLowerCase() ?? ""];
  if (type === undefined) {
    return (
      <Text c="dimmed" p="xl">
        {w.noPreview}
      </Text>
    );
  }
  return (
    <div className={classes.picture}>
      <img
        src={`data:${type};base64,${base64}`}
        alt={w.picture(path)}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
          setSize(`${naturalWidth} × ${naturalHeight}`)
        }
      />
      <Text size="xs" c="dimmed">
        {size}
      </Text>
    </div>
  );
}
