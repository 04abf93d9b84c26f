import { parseDecimal } from "#kernel/decimal.ts";
import type { Finding } from "#src/files/public.ts";
import { parseDate } from "../liquid/format.ts";
import type { DataSchema } from "../schema/data.ts";
import type { CompiledTemplate } from "../template.compiled.ts";
import { templateFinding } from "../template.findings.ts";
import { initialPrivilege, isValueOfType } from "../template.privilege.ts";
import { PRIVILEGE_ID, PRIVILEGE_MINIMUM, type TemplatePrivilege } from "../template.schema.ts";
import { type Pointer, referencesOf } from "../template.value.ts";
import {
  dataRequiredUndeclared,
  identifierName,
  identifierNotRequired,
  identifierUndeclared,
  locationNoStores,
  locationTooMany,
  privilegeDuplicate,
  privilegeInexact,
  privilegeNotAddressable,
  privilegeOneTimeValue,
  privilegeOutOfBounds,
} from "./findings.ts";

/** Checks names and values of a template that must agree with each other. */
export function nameFindings(compiled: CompiledTemplate, lacksStores: boolean): Finding[] {
  return [
    ...identifierNames(compiled),
    ...undeclaredIdentifiers(compiled),
    ...privilegeFindings(compiled),
    ...requiredData(compiled, compiled.template.data as DataSchema | undefined, ["data"]),
    ...expirationFindings(compiled),
    ...locationFindings(compiled, lacksStores),
  ];
}

const IDENTIFIER = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;

function identifierNames({ template: { identifiers = {} }, at }: CompiledTemplate): Finding[] {
  const { required = [], unique = [] } = identifiers;
  const wrong = (["required", "unique"] as const).flatMap((list) =>
    (identifiers[list] ?? []).flatMap((name, index) =>
      IDENTIFIER.test(name) ? [] : [identifierName(at(["identifiers", list, index]), { name })],
    ),
  );
  const optional = unique.flatMap((name, index) =>
    required.includes(name) || !IDENTIFIER.test(name)
      ? []
      : [identifierNotRequired(at(["identifiers", "unique", index]), { name })],
  );
  return [...wrong, ...optional];
}

function undeclaredIdentifiers({ template: { identifiers }, values }: CompiledTemplate) {
  if (identifiers === undefined) return [];
  const known = new Set([...(identifiers.required ?? []), ...(identifiers.unique ?? [])]);
  return values
    .flatMap(referencesOf)
    .flatMap(({ segments: [root, name = "*"], place, language }) =>
      root !== "identifiers" || name === "*" || known.has(name)
        ? []
        : [identifierUndeclared(place, { name, language })],
    );
}

const ADDRESSABLE_ID = new RegExp(PRIVILEGE_ID.pattern);

function privilegeFindings({ template: { privileges = [] }, at }: CompiledTemplate): Finding[] {
  const known = new Set<string>();
  return privileges.flatMap((privilege, index) => {
    const { id, value, minimum, maximum } = privilege;
    const findings: Finding[] = [];
    if (known.has(id)) findings.push(privilegeDuplicate(at(["privileges", index, "id"]), { id }));
    known.add(id);
    if (!ADDRESSABLE_ID.test(id)) {
      findings.push(privilegeNotAddressable(at(["privileges", index, "id"]), { id }));
    }
    for (const [member, number] of Object.entries({ value, minimum, maximum })) {
      if (number === undefined || number === null || parseDecimal(number) !== undefined) continue;
      findings.push(privilegeInexact(at(["privileges", index, member]), { id, member }));
    }
    const bound = minimum === undefined ? "maximum" : "minimum";
    const position = at(["privileges", index, value === undefined ? bound : "value"]);
    if (isOutOfBounds(privilege)) findings.push(privilegeOutOfBounds(position, { id }));
    else if (value !== undefined && !isValueOfType(privilege)) {
      const given = initialPrivilege(privilege).value ?? 0;
      findings.push(privilegeOneTimeValue(position, { id, value, given }));
    }
    return findings;
  });
}

function isOutOfBounds({ type, value, minimum, maximum }: TemplatePrivilege): boolean {
  const low = minimum ?? PRIVILEGE_MINIMUM;
  const high = maximum ?? Number.POSITIVE_INFINITY;
  // One that counts begins at 0 where no value is given.
  const begins = value ?? (type === "MultiUse" || type === "Unlockable" ? 0 : undefined);
  return low > high || (begins !== undefined && (begins < low || begins > high));
}

function requiredData(
  compiled: CompiledTemplate,
  schema: DataSchema | undefined,
  pointer: Pointer,
): Finding[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [], items } = schema;
  const missing = required.flatMap((name, index) =>
    Object.hasOwn(properties, name)
      ? []
      : [dataRequiredUndeclared(compiled.at([...pointer, "required", index]), { name })],
  );
  const inner = Object.entries(properties).flatMap(([name, member]) =>
    requiredData(compiled, member, [...pointer, "properties", name]),
  );
  return [...missing, ...inner, ...requiredData(compiled, items, [...pointer, "items"])];
}

function expirationFindings({ expiration: { at } }: CompiledTemplate): Finding[] {
  if (at?.text.isLiteral !== true || parseDate(at.text.source, "UTC") !== undefined) return [];
  return [templateFinding("expiration", at, `'${at.text.source}' is not a date`)];
}

const LOCATIONS_MAX = 10;

function locationFindings(
  { template, locations, at }: CompiledTemplate,
  lacksStores: boolean,
): Finding[] {
  const place = at(["locations"]);
  const count = locations.length;
  if (template.locations === "stores" && count === 0) {
    // A file of stores that cannot be read has been reported already.
    return lacksStores ? [] : [locationNoStores(place)];
  }
  return count > LOCATIONS_MAX ? [locationTooMany(place, { count })] : [];
}
