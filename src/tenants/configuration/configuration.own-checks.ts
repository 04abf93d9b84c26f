import { defineFinding, type FileSet, type Finding, type FindingKind } from "#src/files/public.ts";
import { SETTINGS_FILE, settingsFindings } from "../settings/settings.check.ts";

const settingsMissing = defineFinding({
  code: "tenant.settings-missing",
  severity: "error",
  summary: "The set has no tenant.yml.",
  hint: "Add tenant.yml with at least a name.",
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
  ...settingsFindings,
  fileUnknown,
  fileIsArchive,
];

const ARCHIVE_MARK = Buffer.from("PK\x03\x04");

/** The paths that have a meaning. Other modules know what the files at these paths mean. */
const KNOWN_PATHS: readonly RegExp[] = [
  /^tenant\.yml$/,
  /^server\/passes\/[A-Za-z0-9_-]{1,64}\.yml$/,
  /^server\/[a-z0-9][a-z0-9-]{0,62}\.yml$/,
  /^layouts\/[A-Za-z0-9_-]{1,64}\.(apple|google)\.yml$/,
  /^locales\/[A-Za-z0-9-]{2,20}\.yml$/,
  /^(branding|images)\/./,
];

/** Checks the set as a whole. The content of `tenant.yml` is checked in `settings.check.ts`. */
export function checkTenantFiles(files: FileSet): Finding[] {
  const findings = files.has(SETTINGS_FILE) ? [] : [settingsMissing({ file: SETTINGS_FILE })];
  for (const [path, content] of files) {
    if (content.subarray(0, 4).equals(ARCHIVE_MARK)) findings.push(fileIsArchive({ file: path }));
    if (!KNOWN_PATHS.some((known) => known.test(path))) findings.push(fileUnknown({ file: path }));
  }
  return findings;
}
