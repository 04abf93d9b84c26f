import type { TLocalizedValidationError } from "typebox/error";

type ValidationError = TLocalizedValidationError;

/**
 * TypeBox reports a value that fits no member of a union once for every member. The author meant
 * one member. So only the errors of the nearest member are kept, or one error that lists all
 * allowed values.
 */
export function settleUnions(errors: readonly ValidationError[]): ValidationError[] {
  let settled: ValidationError[] = [];
  for (const error of errors) {
    if (error.keyword !== "anyOf") {
      settled.push(error);
      continue;
    }
    // TypeBox reports members before their union, and inner unions before outer ones.
    const ofMembers = settled.filter((each) => isOfMember(each, error));
    settled = settled.filter((each) => !isOfMember(each, error));
    settled.push(...settle(error, ofMembers));
  }
  return settled;
}

/** Compares the instance path too, because all items of a list have the same schema path. */
function isOfMember(error: ValidationError, union: ValidationError): boolean {
  const samePlace =
    error.instancePath === union.instancePath ||
    error.instancePath.startsWith(`${union.instancePath}/`);
  return samePlace && error.schemaPath.startsWith(`${union.schemaPath}/anyOf/`);
}

function settle(union: ValidationError, errors: readonly ValidationError[]): ValidationError[] {
  const members = [...Map.groupBy(errors, (error) => memberOf(error, union)).values()];
  const allowed = members.map((member) => allowedValues(member, union));
  const literals = allowed.filter((values) => values !== undefined).flat();
  if (literals.length > 0 && allowed.every((values) => values !== undefined)) {
    return [asEnum(union, literals)];
  }
  // Members that expect another kind of value are excluded, because they were not meant.
  const possible = members.filter((member) => !member.some((error) => isOtherKind(error, union)));
  const [best] = possible.toSorted((left, right) => distance(left, union) - distance(right, union));
  if (best !== undefined) return best;
  const words = literals.map((value) => `'${value}'`);
  const types = members.flatMap((member) => member.flatMap((error) => expectedTypes(error, union)));
  return types.length > 0 ? [asType(union, [...new Set([...words, ...types])])] : [union];
}

function memberOf(error: ValidationError, union: ValidationError): string {
  return error.schemaPath.slice(`${union.schemaPath}/anyOf/`.length).split("/")[0] ?? "";
}

/** The values that a member allows, if the member is only a list of values. */
function allowedValues(
  member: readonly ValidationError[],
  union: ValidationError,
): unknown[] | undefined {
  const values: unknown[] = [];
  for (const error of member) {
    if (error.instancePath !== union.instancePath) return undefined;
    if (error.keyword === "const") values.push(error.params.allowedValue);
    else if (error.keyword === "enum") values.push(...error.params.allowedValues);
    else if (error.keyword !== "type") return undefined;
  }
  return values.length === 0 ? undefined : values;
}

function isOtherKind(error: ValidationError, union: ValidationError): boolean {
  return (
    error.instancePath === union.instancePath &&
    (error.keyword === "type" || error.keyword === "const" || error.keyword === "enum")
  );
}

/** A wrong value of a distinguishing property counts more than any number of other errors. */
function distance(member: readonly ValidationError[], union: ValidationError): number {
  const depth = union.instancePath.split("/").length + 1;
  const tellsApart = member.filter(
    (error) =>
      (error.keyword === "const" || error.keyword === "enum") &&
      error.instancePath.split("/").length === depth,
  );
  const mistakes = member.filter((error) => error.keyword !== "boolean");
  return tellsApart.length * 1_000 + mistakes.length;
}

function expectedTypes(error: ValidationError, union: ValidationError): string[] {
  if (error.instancePath !== union.instancePath || error.keyword !== "type") return [];
  return [error.params.type].flat();
}

function asEnum({ schemaPath, instancePath }: ValidationError, values: unknown[]): ValidationError {
  const message = "must be equal to one of the allowed values";
  return { keyword: "enum", schemaPath, instancePath, params: { allowedValues: values }, message };
}

function asType({ schemaPath, instancePath }: ValidationError, types: string[]): ValidationError {
  const message = `must be ${types.join(" or ")}`;
  return { keyword: "type", schemaPath, instancePath, params: { type: types }, message };
}
