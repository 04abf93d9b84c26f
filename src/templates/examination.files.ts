import Type from "typebox";
import {
  defineFinding,
  type FileSet,
  type Finding,
  type FindingKind,
} from "#src/tenants/public.ts";

/** `server/<connector>.yml`: a map whose members belong to the connector. */
export const ConnectorSettings = Type.Record(Type.String(), Type.Unknown());

/** The one list of connectors that have a file. */
const CONNECTORS = [
  "cdp",
  "bot-check",
  "customerio",
  "pretix",
  "sfmc",
  "shopify",
  "square",
  "tito",
] as const;
const CONNECTOR_PATHS: ReadonlySet<string> = new Set(
  CONNECTORS.map((name) => `server/${name}.yml`),
);

export function isConnectorFile(path: string): boolean {
  return CONNECTOR_PATHS.has(path);
}

export const settingsUnknown = defineFinding<{ readonly path: string }>({
  code: "file.unknown-settings",
  severity: "warning",
  summary: "Nothing reads a file of this name in 'server'.",
  hint: `Besides templates: apple, google, stores, schedule, import, ${CONNECTORS.join(", ")}.`,
  message: ({ path }) => `Nothing reads '${path}'.`,
});

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

export function isYaml(path: string): boolean {
  return path.endsWith(".yml");
}

export const fileFindings: readonly FindingKind[] = [settingsUnknown, tooMuchYaml];
