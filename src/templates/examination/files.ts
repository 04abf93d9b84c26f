import {
  type ConfigFiles,
  defineFinding,
  type FileSet,
  type Finding,
  type FindingFactory,
  type FindingKind,
  isYaml,
} from "#src/files/public.ts";

/** Its hint names all files that there are. */
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
/** All of it is read at every publication; templates and languages of a large tenant are a tenth. */
const YAML_TOTAL_MAX = 4 * MIB;

const tooMuchYaml = defineFinding({
  code: "file.too-much-yaml",
  severity: "error",
  summary: `All YAML files together may have ${YAML_TOTAL_MAX / MIB} MiB at most.`,
  hint: "Take out what is not needed; this is the first file beyond the limit.",
});

/** The file that goes beyond what is read at all; undefined for sets that can be read. */
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
