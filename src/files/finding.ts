export type Severity = "error" | "warning" | "info";

/** Something to know about a file of a configuration. Errors keep it from being published. */
export type Finding = {
  readonly severity: Severity;
  readonly code: string;
  readonly file: string;
  /** From 1; null when the finding is about the file as a whole. */
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
  readonly hint: string;
};

export type Position = { readonly line: number; readonly column: number };

/** Where a finding points: a file, and a place in it when there is one. */
export type Place = {
  readonly file: string;
  readonly line?: number | null;
  readonly column?: number | null;
};

/** A kind of finding, known without an instance of it: for documentation. */
export type FindingKind = {
  readonly code: string;
  readonly severity: Severity;
  readonly summary: string;
  readonly hint: string;
};

type FindingDefinition<Facts> = FindingKind & {
  /** The sentence for one case; the summary when left out. */
  readonly message?: (facts: Facts) => string;
  /** What to do in one case; the hint when left out or undefined. */
  readonly advice?: (facts: Facts) => string | undefined;
};

export type FindingFactory<Facts = void> = ((place: Place, facts: Facts) => Finding) & FindingKind;

const CODE = /^[a-z]+(\.[a-z0-9]+(-[a-z0-9]+)*)$/;

/** Codes are a published contract: `area.problem-in-kebab-case`, never renamed. */
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
 * Every kind in these lists, by code. Each file that defines findings exports its list, so that what
 * is documented does not depend on what happens to have been loaded.
 */
export function allFindings(...lists: readonly (readonly FindingKind[])[]): FindingKind[] {
  const byCode = new Map<string, FindingKind>();
  for (const { code, severity, summary, hint } of lists.flat()) {
    if (byCode.has(code)) throw new Error(`The finding '${code}' is defined twice.`);
    byCode.set(code, { code, severity, summary, hint });
  }
  return [...byCode.values()].sort((left, right) => compare(left.code, right.code));
}

/** By place: file, line, column; what is about a whole file comes first. */
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
