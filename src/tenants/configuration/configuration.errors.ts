import { defineError, ProblemError, type ProblemKind } from "#kernel/errors.ts";
import type { FileProblems, Finding } from "#src/files/public.ts";

export const configurationInvalid: ProblemKind = {
  code: "configuration.invalid",
  status: 400,
  title: "The configuration has errors",
};

/** For a set that was not published. `errors` is grouped by file; `findings` has every detail. */
export function configurationHasErrors(findings: readonly Finding[]): ProblemError {
  const errors: Record<string, string[]> = Object.create(null);
  for (const { severity, file, line, message } of findings) {
    if (severity !== "error") continue;
    errors[file] ??= [];
    errors[file].push(line === null ? message : `line ${line}: ${message}`);
  }
  const files = Object.keys(errors);
  return new ProblemError({
    ...configurationInvalid,
    detail: `Not published: ${files.slice(0, 3).join(", ")}${files.length > 3 ? " and others" : ""}.`,
    errors,
    members: { findings },
  });
}

/** For a set that cannot even be stored: a wrong path, too many bytes, or a damaged archive. */
export function configurationRefused(problems: FileProblems): ProblemError {
  return new ProblemError({
    ...configurationInvalid,
    detail: `These files cannot be taken: ${Object.keys(problems).slice(0, 3).join(", ")}.`,
    errors: problems,
  });
}

export const configurationChangedMeanwhile = defineError({
  code: "configuration.changed-meanwhile",
  status: 409,
  title: "Changed meanwhile",
  detail: () =>
    "Another change was published while this one was checked. Look at it and try again.",
});

export const configurationVersionNotFound = defineError({
  code: "configuration.version-not-found",
  status: 404,
  title: "Version not found",
  detail: ({ version }: { version: number }) => `This tenant has no version ${version}.`,
});

export const configurationDraftNotFound = defineError({
  code: "configuration.draft-not-found",
  status: 404,
  title: "No draft",
  detail: () => "This tenant has no draft. PUT or PATCH with publish=false makes one.",
});

export const configurationDraftOutdated = defineError({
  code: "configuration.draft-outdated",
  status: 409,
  title: "The draft is outdated",
  detail: ({ base, current }: { base: number; current: number }) =>
    `The draft was made from version ${base}, and version ${current} is in force. Store it again to publish over it.`,
});

export const configurationDomainTaken = defineError({
  code: "configuration.domain-taken",
  status: 409,
  title: "The domain is taken",
  detail: () => "Another tenant serves this customDomain.",
});
