import type { FileSet } from "./configuration.files.ts";
import { defineFinding, type Finding, type FindingKind } from "./finding.ts";
import { isTimeZone, TenantSettings } from "./tenant.settings.ts";
import { readYaml, type YamlFile } from "./yaml-file.ts";
import { checkYaml } from "./yaml-schema.ts";
import { closest } from "./yaml-spelling.ts";

export const SETTINGS_FILE = "tenant.yml";

const settingsMissing = defineFinding({
  code: "tenant.settings-missing",
  severity: "error",
  summary: "The set has no tenant.yml.",
  hint: "Add tenant.yml with at least a name.",
});
const timeZoneUnknown = defineFinding({
  code: "tenant.time-zone-unknown",
  severity: "error",
  summary: "The time zone is not known.",
  hint: "Use a name of the IANA database, such as Europe/Paris.",
});
const operationUnknown = defineFinding<{
  readonly name: string;
  readonly meant: string | undefined;
}>({
  code: "tenant.operation-unknown",
  severity: "error",
  summary: "A rate limit names an operation that does not exist.",
  hint: "Use an operationId of the API reference, or 'default' for all that are not named.",
  message: ({ name }) => `There is no operation '${name}' to limit.`,
  advice: ({ meant }) => (meant === undefined ? undefined : `Did you mean '${meant}'?`),
});
const fileUnknown = defineFinding({
  code: "file.unknown",
  severity: "warning",
  summary: "No part of Billfold reads this file.",
  hint: "Check the folder and the name; files for people can stay.",
});

const fileIsArchive = defineFinding({
  code: "file.archive",
  severity: "error",
  summary: "The file is an archive itself.",
  hint: "Send the files it holds: an archive within is not opened.",
});

export const ownFindings: readonly FindingKind[] = [
  settingsMissing,
  timeZoneUnknown,
  operationUnknown,
  fileUnknown,
  fileIsArchive,
];

/** The nearest name is looked for among all of them, each time. */
const OPERATIONS_TOLD_MAX = 20;
const ARCHIVE_MARK = Buffer.from("PK\x03\x04");

/** Where files have a meaning; what they mean is up to the modules above. */
const KNOWN_PATHS: readonly RegExp[] = [
  /^tenant\.yml$/,
  /^server\/passes\/[A-Za-z0-9_-]{1,64}\.yml$/,
  /^server\/[a-z0-9][a-z0-9-]{0,62}\.yml$/,
  /^layouts\/[A-Za-z0-9_-]{1,64}\.(apple|google)\.yml$/,
  /^locales\/[A-Za-z0-9-]{2,20}\.yml$/,
  /^(branding|images)\/./,
];

/** `operations` are those that a limit may be set for. */
export function checkTenantFiles(files: FileSet, operations: readonly string[]): Finding[] {
  const findings = checkSettings(files, operations);
  for (const [path, content] of files) {
    if (content.subarray(0, 4).equals(ARCHIVE_MARK)) findings.push(fileIsArchive({ file: path }));
    if (!KNOWN_PATHS.some((known) => known.test(path))) findings.push(fileUnknown({ file: path }));
  }
  return findings;
}

function checkSettings(files: FileSet, operations: readonly string[]): Finding[] {
  const bytes = files.get(SETTINGS_FILE);
  if (bytes === undefined) return [settingsMissing({ file: SETTINGS_FILE })];
  const { file, findings } = readYaml(SETTINGS_FILE, bytes);
  if (file === undefined) return [...findings];
  const wrong = checkYaml(SETTINGS_FILE, file, TenantSettings);
  if (wrong.length > 0) return [...findings, ...wrong];
  return [...findings, ...checkTimeZone(file), ...checkRateLimits(file, operations)];
}

function checkRateLimits(file: YamlFile, operations: readonly string[]): Finding[] {
  const { rateLimits = {} } = file.value as TenantSettings;
  const known = new Set([...operations, "default"]);
  return Object.keys(rateLimits)
    .filter((name) => !known.has(name))
    .slice(0, OPERATIONS_TOLD_MAX)
    .map((name) =>
      operationUnknown(
        { file: SETTINGS_FILE, ...file.keyAt(["rateLimits", name]) },
        { name, meant: closest(name, known) },
      ),
    );
}

function checkTimeZone(file: YamlFile): Finding[] {
  const { timeZone } = file.value as TenantSettings;
  if (timeZone === undefined || isTimeZone(timeZone)) return [];
  return [timeZoneUnknown({ file: SETTINGS_FILE, ...file.at(["timeZone"]) })];
}

/** Of a set that has passed its checks. */
export function readSettings(files: FileSet): TenantSettings {
  const bytes = files.get(SETTINGS_FILE) ?? Buffer.alloc(0);
  const { file } = readYaml(SETTINGS_FILE, bytes);
  if (file === undefined) throw new Error("A checked configuration has unreadable settings.");
  return file.value as TenantSettings;
}
