import { isObject } from "#kernel/json.ts";
import {
  type ConfigFile,
  type ConfigFiles,
  checkYaml,
  type FileSet,
  type Finding,
  type NamedSecrets,
  readYaml,
  type YamlFile,
} from "#src/files/public.ts";
import { isTemplateFile } from "../template.set.ts";
import { settingsUnknown } from "./files.ts";

export type SettingsReading = {
  readonly findings: readonly Finding[];
  /** The valid files whose secrets must be checked. */
  readonly named: readonly NamedSecrets<unknown>[];
};

const IN_SERVER = /^server\/[^/]+\.yml$/;

/**
 * Reads all files that are not part of templates, each by the rules of the module that declares it.
 */
export function readSettings(
  files: FileSet,
  kinds: ConfigFiles,
  onFile: (path: string) => void,
): SettingsReading {
  const unknown = settingsUnknown(kinds);
  const findings: Finding[] = [];
  const named: NamedSecrets<unknown>[] = [];
  for (const [path, bytes] of files) {
    if (isTemplateFile(path)) continue;
    const kind = kinds.find(path);
    if (kind === undefined) {
      if (IN_SERVER.test(path)) findings.push(unknown({ file: path }, { path }));
      continue;
    }
    onFile(path);
    const { file, findings: unreadable } = readYaml(path, bytes);
    findings.push(...unreadable);
    if (file === undefined) continue;
    const wrong = checkFile(path, file, kind, files);
    findings.push(...wrong);
    if (wrong.length === 0 && kind.checkSecrets !== undefined) named.push(namedSecrets(path, file));
  }
  return { findings, named };
}

function checkFile(path: string, file: YamlFile, kind: ConfigFile, around: FileSet): Finding[] {
  const wrong = checkYaml(path, file, kind.schema);
  if (wrong.length > 0) return wrong;
  const { value } = file;
  return kind.check?.({ path, value, at: (to) => ({ file: path, ...file.at(to) }) }, around) ?? [];
}

function namedSecrets(path: string, file: YamlFile): NamedSecrets<unknown> {
  const { value: settings } = file;
  const members = isObject(settings) ? settings : {};
  const secrets = isObject(members.secrets) ? members.secrets : {};
  const at = (pointer: readonly string[]) => ({ file: path, ...file.at(pointer) });
  const places = [
    ...Object.keys(members).map((name) => [name, at([name])]),
    ...Object.keys(secrets).map((name) => [name, at(["secrets", name])]),
  ];
  return { path, settings, places: Object.fromEntries(places) };
}
