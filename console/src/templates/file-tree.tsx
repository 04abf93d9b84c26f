import { NativeSelect, Text, UnstyledButton } from "@mantine/core";
import {
  IconFileText,
  IconLanguage,
  IconLayout,
  IconPhoto,
  IconSettings,
  IconTicket,
} from "@tabler/icons-react";
import type { ComponentType } from "react";
import type { Finding } from "../parts/pass-preview/shapes.ts";
import { useWords } from "../words/language.ts";
import type { FileChanges, Files } from "./configuration.ts";
import classes from "./templates.module.css";
import { words } from "./words.ts";

type Props = {
  readonly files: Files;
  readonly changes: FileChanges;
  readonly findings: readonly Finding[];
  readonly opened: string | undefined;
  readonly onOpen: (path: string) => void;
};

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);

const ICONS: readonly (readonly [RegExp, ComponentType<{ size?: number; stroke?: number }>])[] = [
  [/^server\/passes\//, IconTicket],
  [/^layouts\//, IconLayout],
  [/^locales\//, IconLanguage],
  [/^(images|branding)\//, IconPhoto],
  [/\.yml$/, IconSettings],
];

/** What people work on most comes first. */
const ORDER = ["server/passes/", "layouts/", "locales/", "images/", "branding/", "", "server/"];

function groupsOf(files: Files): [string, string[]][] {
  const groups = new Map<string, string[]>();
  for (const path of Object.keys(files)) {
    const folder = folderOf(path);
    groups.set(folder, [...(groups.get(folder) ?? []), path]);
  }
  const rank = (folder: string) => (ORDER.includes(folder) ? ORDER.indexOf(folder) : ORDER.length);
  return [...groups].sort(
    ([left], [right]) => rank(left) - rank(right) || left.localeCompare(right),
  );
}

export function FileTree({ files, changes, findings, opened, onOpen }: Props) {
  const w = useWords(words);
  const groups = groupsOf(files);
  const withErrors = new Set(
    findings.filter(({ severity }) => severity === "error").map(({ file }) => file),
  );
  return (
    <>
      <nav className={classes.tree} aria-label={w.files}>
        {groups.map(([folder, paths]) => (
          <div key={folder}>
            <Text size="xs" c="dimmed" className={classes.folder}>
              {folder === "" ? "/" : folder}
            </Text>
            <ul>
              {paths.map((path) => (
                <li key={path}>
                  <FileButton
                    path={path}
                    isOpened={path === opened}
                    isChanged={path in changes}
                    hasError={withErrors.has(path)}
                    onOpen={onOpen}
                  />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <NativeSelect
        className={classes.treeSmall}
        aria-label={w.file}
        value={opened ?? ""}
        data={groups.flatMap(([, paths]) => paths)}
        onChange={(event) => onOpen(event.currentTarget.value)}
      />
    </>
  );
}

type FileButtonProps = {
  readonly path: string;
  readonly isOpened: boolean;
  readonly isChanged: boolean;
  readonly hasError: boolean;
  readonly onOpen: (path: string) => void;
};

function FileButton({ path, isOpened, isChanged, hasError, onOpen }: FileButtonProps) {
  const w = useWords(words);
  const Icon = ICONS.find(([pattern]) => pattern.test(path))?.[1] ?? IconFileText;
  return (
    <UnstyledButton
      className={classes.fileButton}
      aria-current={isOpened ? "true" : undefined}
      onClick={() => onOpen(path)}
    >
      <Icon size={16} stroke={1.6} />
      <span className={classes.fileName}>{path.slice(folderOf(path).length)}</span>
      {hasError && (
        <span className={classes.errorMark} role="img" aria-label={w.error} title={w.error}>
          !
        </span>
      )}
      {isChanged && (
        <span
          className={classes.changeMark}
          role="img"
          aria-label={w.unsavedMark}
          title={w.unsavedMark}
        />
      )}
    </UnstyledButton>
  );
}
