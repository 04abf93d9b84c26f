import type { FileSet } from "./configuration.files.ts";
import { defineFinding, type Finding, type FindingKind } from "./finding.ts";
import { isTimeZone, TenantSettings } from "./tenant.settings.ts";
import { readYaml, type YamlFile } from "./yaml-file.ts";
import { checkYaml } from "./yaml-schema.ts";

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
  fileUnknown,
  fileIsArchive,
];

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

export function checkTenantFiles(files: FileSet): Finding[] {
  const findings = checkSettings(files);
  for (const [path, content] of files) {
    if (content.subarray(0, 4).equals(ARCHIVE_MARK)) findings.push(fileIsArchive({ file: path }));
    if (!KNOWN_PATHS.some((known) => known.test(path))) findings.push(fileUnknown({ file: path }));
  }
  return findings;
}

function checkSettings(files: FileSet): Finding[] {
  const bytes = files.get(SETTINGS_FILE);
  if (bytes === undefined) return [settingsMissing({ file: SETTINGS_FILE })];
  const { file, findings } = readYaml(SETTINGS_FILE, bytes);
  if (file === undefined) return [...findings];
  const wrong = checkYaml(SETTINGS_FILE, file, TenantSettings);
  return [...findings, ...wrong, ...(wrong.length > 0 ? [] : checkTimeZone(file))];
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
