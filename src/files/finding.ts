export type Severity = "error" | "warning" | "info";

/** A remark on a file of a configuration. A configuration with an error cannot be published. */
export type Finding = {
  readonly severity: Severity;
  readonly code: string;
  readonly file: string;
  /** Counted from 1; null if the finding is about the whole file. */
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
  readonly hint: string;
};

export type Position = { readonly line: number; readonly column: number };

/** Where a finding points: a file, and maybe a position in it. */
export type Place = {
  readonly file: string;
  readonly line?: number | null;
  readonly column?: number | null;
};

/** The facts of a finding that are the same in all cases. Documentation is generated from them. */
export type FindingKind = {
  readonly code: string;
  readonly severity: Severity;
  readonly summary: string;
  readonly hint: string;
};

type FindingDefinition<Facts> = FindingKind & {
  /** The message for one case; by default the summary. */
  readonly message?: (facts: Facts) => string;
  /** The hint for one case; if missing or undefined, the general hint. */
  readonly advice?: (facts: Facts) => string | undefined;
};

export type FindingFactory<Facts = void> = ((place: Place, facts: Facts) => Finding) & FindingKind;

const CODE = /^[a-z]+(\.[a-z0-9]+(-[a-z0-9]+)*)$/;

/** Codes are part of the API: `area.problem-in-kebab-case`, never renamed. */
export function defineFinding<Facts = void>(
  definition: FindingDefinition<Facts>,
): FindingFactory<Facts> {
  const { code, severity, summary, hint } = definition;
  if (!CODE.test(code)) throw new Error(`'${code}' is not a code for a finding.`);
  const make = ({ file, line = null, column = null }: Place, facts: Facts): Finding => ({
    severity,
    code,
    file,
    line,
    column,
    message: definition.message?.(facts) ?? summary,
    hint: definition.advice?.(facts) ?? hint,
  });
  return Object.assign(make, { code, severity, summary, hint });
}

/**
 * All kinds in these lists, sorted by code. Every file that defines findings exports a list of
 * them, so that the documentation does not depend on which files happen to be loaded.
 */
export function allFindings(...lists: readonly (readonly FindingKind[])[]): FindingKind[] {
  const byCode = new Map<string, FindingKind>();
  for (const { code, severity, summary, hint } of lists.flat()) {
    if (byCode.has(code)) throw new Error(`The finding '${code}' is defined twice.`);
    byCode.set(code, { code, severity, summary, hint });
  }
  return [...byCode.values()].sort((left, right) => compare(left.code, right.code));
}

/** Sorts by file, line and column. Findings about a whole file come first. */
export function sortFindings(findings: Iterable<Finding>): Finding[] {
  return [...findings].sort(
    (left, right) =>
      compare(left.file, right.file) ||
      (left.line ?? 0) - (right.line ?? 0) ||
      (left.column ?? 0) - (right.column ?? 0) ||
      compare(left.code, right.code),
  );
}

export function hasError(findings: Iterable<Finding>): boolean {
  return Iterator.from(findings).some((finding) => finding.severity === "error");
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
