import {
  type ConfigFiles,
  defineFinding,
  type FileSet,
  type Finding,
  type FindingFactory,
  type FindingKind,
  isYaml,
} from "#src/files/public.ts";

/** Defined at run time, because its hint lists the settings files that modules declare. */
export function settingsUnknown(kinds: ConfigFiles): FindingFactory<{ readonly path: string }> {
  const names = kinds.paths.flatMap((path) => /^server\/([^/]+)\.yml$/.exec(path)?.[1] ?? []);
  return defineFinding<{ readonly path: string }>({
    code: "file.unknown-settings",
    severity: "warning",
    summary: "Nothing reads a file of this name in 'server'.",
    hint: `Besides templates: ${names.join(", ")}.`,
    message: ({ path }) => `Nothing reads '${path}'.`,
  });
}

const MIB = 1024 * 1024;
/**
 * All YAML files are read at every publication. Templates and languages of a large tenant have a
 * tenth of this size.
 */
const YAML_TOTAL_MAX = 4 * MIB;

const tooMuchYaml = defineFinding({
  code: "file.too-much-yaml",
  severity: "error",
  summary: `All YAML files together may have ${YAML_TOTAL_MAX / MIB} MiB at most.`,
  hint: "Take out what is not needed; this is the first file beyond the limit.",
});

/** Reports the first file beyond the total size; undefined if all YAML files can be read. */
export function yamlExcess(files: FileSet): Finding | undefined {
  let total = 0;
  for (const [path, bytes] of files) {
    if (!isYaml(path)) continue;
    total += bytes.length;
    if (total > YAML_TOTAL_MAX) return tooMuchYaml({ file: path });
  }
  return undefined;
}

export function fileFindings(kinds: ConfigFiles): FindingKind[] {
  return [settingsUnknown(kinds), tooMuchYaml];
}
