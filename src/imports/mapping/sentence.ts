import type { ProblemError } from "#kernel/errors.ts";
import { quoteExcerpt } from "#kernel/excerpt.ts";
import type { RowWish } from "./row-wish.ts";
import { keyOf, parseTarget, type Target } from "./target.ts";

const REASONS_MAX = 3;

type Words = (problem: ProblemError, row: RowWish) => string;

/** Problems that are told otherwise to people who know a file and its columns, but no API. */
const WORDS: Readonly<Record<string, Words>> = {
  "pass.not-found": (_problem, row) =>
    row.passId === undefined
      ? `There is no pass with this ${keysIn(row)}.`
      : `There is no pass ${quoteExcerpt(row.passId)}.`,
  "pass.identifier-ambiguous": (_problem, row) =>
    `Several passes have this ${keysIn(row)}. Name the pass by its passId, or by an identifier that no other pass has.`,
  "pass.identifier-taken": ({ members: { identifier, passId } }, row) =>
    `${subjectOf(row, `identifiers.${identifier}`)} belongs to another pass already: ${passId}.`,
  "pass.not-active": ({ members: { passStatus } }, { action }) =>
    action === "notify"
      ? `The pass is ${passStatus}, so no message was sent.`
      : `The pass would be ${passStatus}, so its holder could not be sent the message. The row was not imported.`,
};

/** Why a row failed, in words of its file. */
export function sentenceOf(problem: ProblemError, row: RowWish): string {
  const { code, errors, message } = problem;
  if (errors === undefined) return WORDS[code]?.(problem, row) ?? message;
  const reasons = Object.entries(errors).slice(0, REASONS_MAX);
  return reasons.map(([field, [reason]]) => reasonOf(row, field, reason ?? "is wrong")).join(" ");
}

function reasonOf(row: RowWish, field: string, reason: string): string {
  const place = placeOf(row, field);
  if (reason === REQUIRED) {
    return place === undefined
      ? `There is no column for ${quoteExcerpt(field)}, which every pass of this type needs.`
      : `Column ${quoteExcerpt(place.column)} is empty, but every pass of this type needs it.`;
  }
  const rule = reason.startsWith("must") ? `is not allowed: it ${reason}` : reason;
  return place === undefined ? `${field} ${reason}.` : `${subjectOf(row, field)} ${rule}.`;
}

const REQUIRED = "is required";

type Place = { readonly column: string; readonly target: Target };

/** The column that fills a field, or the member that the field is within. */
function placeOf({ columns }: RowWish, field: string): Place | undefined {
  for (let path = field; path !== ""; path = path.replace(/(?:^|[.[])[^.[]*$/, "")) {
    const target = parseTarget(path);
    const column = target === undefined ? undefined : columns.get(keyOf(target));
    if (target !== undefined && column !== undefined) return { column, target };
  }
  return undefined;
}

/** The column and what stands there, as the beginning of a sentence. */
function subjectOf(row: RowWish, field: string): string {
  const place = placeOf(row, field);
  if (place === undefined) return field;
  const value = valueAt(row, place.target);
  const shown = typeof value === "string" ? value : JSON.stringify(value);
  return `Column ${quoteExcerpt(place.column)}: ${shown === undefined ? "it" : quoteExcerpt(shown)}`;
}

function valueAt(row: RowWish, target: Target): unknown {
  switch (target.kind) {
    case "identifier":
      return row.identifiers[target.name];
    case "data":
      return row.additionalData[target.name];
    case "privilege":
      return row.privileges.get(target.name);
    case "notification.content":
      return row.notification?.content;
    case "notification.title":
      return row.notification?.title;
    case "ignore":
      return undefined;
    default:
      return row[target.kind];
  }
}

/** The columns by which the pass of a row is found. */
function keysIn({ keys, columns }: RowWish): string {
  const names = Object.keys(keys).map(
    (name) => columns.get(keyOf({ kind: "identifier", name })) ?? name,
  );
  return names.map(quoteExcerpt).join(" and ");
}
