import type { Finding, Place } from "#src/files/public.ts";
import type { CompiledTemplate, JsonObject } from "#src/templates/language/public.ts";
import { type PassJsonPath, type PassJsonProblem, passJsonProblems } from "./pass-json.check.ts";
import {
  appleLayoutDoubtful,
  appleLayoutRefused,
  appleLayoutUnknown,
} from "./pass-json.findings.ts";

/** A long list may repeat one mistake in each element, and further findings of it would add nothing. */
const FINDINGS_MAX = 25;

/**
 * What iOS would say to the pass.json that follows from a layout. The rest of it is made here and
 * right by itself, so only what stands in the layout is judged. What a layout removes from the top has
 * a finding of its own.
 */
export function lintPassJson(
  { layouts: { apple } }: Pick<CompiledTemplate, "layouts">,
  json: JsonObject,
): Finding[] {
  if (apple === undefined) return [];
  const followsFromData = followsFromDataIn(apple.source);
  const findings = passJsonProblems(json)
    .filter(({ kind, path }) => kind !== "missing" || path.length > 1)
    .flatMap((problem) => {
      const written = writtenAt(apple.source, problem);
      if (written === undefined) return [];
      const place = apple.keyAt(written.path);
      return [findingOf(problem, place, followsFromData(problem))];
    });
  // What keeps a layout from being published is never among those that are left out.
  const isError = ({ severity }: Finding) => severity === "error";
  return [...findings.filter(isError), ...findings.filter((each) => !isError(each))].slice(
    0,
    FINDINGS_MAX,
  );
}

type Written = {
  readonly path: PassJsonPath;
  /** What the layout says there, before it is rendered. */
  readonly source: unknown;
};

/**
 * Tells of a problem whether other data may give the right form. They never give another type than a text. Where
 * members have the same text, it is enough if this one or all the others follow from data.
 */
function followsFromDataIn(layout: Readonly<JsonObject>): (problem: PassJsonProblem) => boolean {
  const isLiquid = (path: PassJsonPath) => {
    const source = writtenAt(layout, { path, kind: "form" })?.source;
    return typeof source === "string" && /\{[{%]/.test(source);
  };
  // The problems of thousands of members may share one list.
  const fixedIn = new Map<readonly PassJsonPath[], number>();
  const countFixed = (paths: readonly PassJsonPath[]) => {
    const count = fixedIn.get(paths) ?? paths.filter((path) => !isLiquid(path)).length;
    fixedIn.set(paths, count);
    return count;
  };
  return ({ kind, path, duplicates }) => {
    if (kind !== "form") return false;
    return isLiquid(path) || (duplicates !== undefined && countFixed(duplicates) === 1);
  };
}

/** The nearest place in the layout; undefined if the member does not come from it. */
function writtenAt(
  layout: Readonly<JsonObject>,
  { path, kind }: Pick<PassJsonProblem, "path" | "kind">,
): Written | undefined {
  let source: unknown = layout;
  const found: (string | number)[] = [];
  for (const name of path) {
    if (typeof source !== "object" || source === null || !Object.hasOwn(source, name)) break;
    source = (source as JsonObject)[name];
    found.push(name);
  }
  const isAbsent = kind === "missing" && found.length === path.length - 1;
  return found.length === path.length || isAbsent ? { path: found, source } : undefined;
}

function findingOf(
  { path, kind, message }: PassJsonProblem,
  place: Place,
  isDoubtful: boolean,
): Finding {
  const facts = { member: path.join("."), message };
  if (kind === "unknown") return appleLayoutUnknown(place, facts);
  return isDoubtful ? appleLayoutDoubtful(place, facts) : appleLayoutRefused(place, facts);
}
