/** Returns the changes from `before` to `after` that would break existing programs. */
export function findBreakingChanges(before: unknown, after: unknown): string[] {
  const old = new Document(before);
  const fresh = new Document(after);
  return [...compareOperations(old, fresh), ...compareEvents(old, fresh)];
}

type Json = Record<string, unknown>;
type Direction = "sent" | "received";

const METHODS = ["get", "post", "put", "patch", "delete"];
const DEPTH_MAX = 30;

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asJson(value: unknown): Json {
  return isJson(value) ? value : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

class Document {
  readonly root: Json;

  constructor(root: unknown) {
    this.root = asJson(root);
  }

  /** Follows references inside the document. */
  resolve(value: unknown): Json {
    let current = asJson(value);
    for (let hops = 0; typeof current.$ref === "string" && hops < DEPTH_MAX; hops += 1) {
      const path = current.$ref.replace(/^#\//, "").split("/");
      current = asJson(path.reduce<unknown>((place, name) => asJson(place)[name], this.root));
    }
    return current;
  }

  /** Merges the parts of `allOf`, so that schemas with the same meaning are equal. */
  whole(value: unknown, depth = 0): Json {
    const { allOf, ...own } = this.resolve(value);
    if (!Array.isArray(allOf) || depth > DEPTH_MAX) return { ...own, ...(allOf ? { allOf } : {}) };
    const parts = [own, ...allOf.map((part) => this.whole(part, depth + 1))];
    const properties = Object.assign({}, ...parts.map((part) => part.properties));
    const required = [...new Set(parts.flatMap((part) => listOf(part.required)))];
    return Object.assign({}, ...parts, { properties, required });
  }

  /** By method and address, without names of path parameters, which callers do not send. */
  operations(): Map<string, Json> {
    const found = new Map<string, Json>();
    for (const [path, item] of Object.entries(asJson(this.root.paths))) {
      for (const method of METHODS) {
        const operation = asJson(item)[method];
        const address = path.replaceAll(/\{[^}]+\}/g, "{}");
        if (isJson(operation)) found.set(`${method.toUpperCase()} ${address}`, operation);
      }
    }
    return found;
  }
}

function compareOperations(old: Document, fresh: Document): string[] {
  const after = fresh.operations();
  return [...old.operations()].flatMap(([key, before]) => {
    const now = after.get(key);
    if (now === undefined) return [`${key}: the operation is gone`];
    const found = [
      ...compareIdentity(before, now),
      ...compareParameters(old, before, fresh, now),
      ...compareBody(old, before, fresh, now),
      ...compareSuccesses(old, before, fresh, now),
    ];
    return found.map((change) => `${key}: ${change}`);
  });
}

/** Generated clients use the id of an operation; existing keys have the scope that was required. */
function compareIdentity(before: Json, now: Json): string[] {
  return ["operationId", "x-scope"]
    .filter((member) => before[member] !== undefined && before[member] !== now[member])
    .map((member) => `${member} was '${before[member]}' and is '${now[member]}'`);
}

function parametersOf(document: Document, operation: Json): Map<string, Json> {
  const list = Array.isArray(operation.parameters) ? operation.parameters : [];
  return new Map(
    list
      .map((parameter) => document.resolve(parameter))
      // A path parameter is identified by its place in the address, not by its name.
      .filter((parameter) => parameter.in !== "path")
      .map((parameter) => [`${parameter.in} parameter ${parameter.name}`, parameter]),
  );
}

function compareParameters(old: Document, before: Json, fresh: Document, now: Json): string[] {
  const changes: string[] = [];
  const earlier = parametersOf(old, before);
  const later = parametersOf(fresh, now);
  for (const [name, parameter] of earlier) {
    const other = later.get(name);
    if (other === undefined) changes.push(`${name} is gone`);
    else changes.push(...compareSchema(old, parameter.schema, fresh, other.schema, name, "sent"));
  }
  for (const [name, { required }] of later) {
    if (required === true && earlier.get(name)?.required !== true) {
      changes.push(`${name} is now required`);
    }
  }
  return changes;
}

function contentOf(document: Document, holder: unknown): Json {
  return asJson(document.resolve(holder).content);
}

function compareBody(old: Document, before: Json, fresh: Document, now: Json): string[] {
  const [wasRequired, isRequired] = [
    old.resolve(before.requestBody).required === true,
    fresh.resolve(now.requestBody).required === true,
  ];
  const earlier = contentOf(old, before.requestBody);
  const later = contentOf(fresh, now.requestBody);
  return [
    ...(isRequired && !wasRequired ? ["a body is now required"] : []),
    ...compareContent(old, earlier, fresh, later, "body", "sent"),
  ];
}

function compareSuccesses(old: Document, before: Json, fresh: Document, now: Json): string[] {
  const later = asJson(now.responses);
  return Object.entries(asJson(before.responses))
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([status, response]) => {
      if (later[status] === undefined) return [`answer ${status} is gone`];
      const earlier = contentOf(old, response);
      const other = contentOf(fresh, later[status]);
      return compareContent(old, earlier, fresh, other, `answer ${status}`, "received");
    });
}

/** All media types have the same schema, so only the first one in both is compared. */
function compareContent(
  old: Document,
  before: Json,
  fresh: Document,
  now: Json,
  place: string,
  direction: Direction,
): string[] {
  const gone = Object.keys(before).filter((type) => now[type] === undefined);
  const kept = Object.keys(before).find((type) => now[type] !== undefined);
  const changes = gone.map((type) => `${place} no longer comes as ${type}`);
  if (kept === undefined) return changes;
  const [earlier, later] = [asJson(before[kept]).schema, asJson(now[kept]).schema];
  return [...changes, ...compareSchema(old, earlier, fresh, later, place, direction)];
}

function compareEvents(old: Document, fresh: Document): string[] {
  const later = asJson(fresh.root.webhooks);
  return Object.entries(asJson(old.root.webhooks)).flatMap(([name, item]) => {
    if (later[name] === undefined) return [`event ${name}: it is gone`];
    const earlier = contentOf(old, asJson(asJson(item).post).requestBody);
    const other = contentOf(fresh, asJson(asJson(later[name]).post).requestBody);
    const changes = compareContent(old, earlier, fresh, other, "body", "received");
    return changes.map((change) => `event ${name}: ${change}`);
  });
}

function compareSchema(
  old: Document,
  before: unknown,
  fresh: Document,
  now: unknown,
  place: string,
  direction: Direction,
  depth = 0,
): string[] {
  if (depth > DEPTH_MAX) return [];
  const [earlier, later] = [old.whole(before), fresh.whole(now)];
  const inner = (one: unknown, other: unknown, where: string) =>
    compareSchema(old, one, fresh, other, where, direction, depth + 1);
  const changes = [
    ...compareTypes(old, earlier, fresh, later, place, direction),
    ...compareBounds(earlier, later, place, direction),
    ...compareEnum(earlier, later, place, direction),
    ...compareRequired(earlier, later, place, direction),
  ];
  const laterProperties = asJson(later.properties);
  for (const [name, property] of Object.entries(asJson(earlier.properties))) {
    if (laterProperties[name] === undefined) changes.push(`${place}.${name} is gone`);
    else changes.push(...inner(property, laterProperties[name], `${place}.${name}`));
  }
  for (const keyword of ["items", "additionalProperties"]) {
    if (isJson(earlier[keyword]) && isJson(later[keyword])) {
      changes.push(...inner(earlier[keyword], later[keyword], `${place}[]`));
    }
  }
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const [ones, others] = [earlier[keyword], later[keyword]];
    if (!Array.isArray(ones) || !Array.isArray(others)) continue;
    if (direction === "sent" && keyword !== "allOf" && others.length < ones.length) {
      changes.push(`${place} takes fewer forms`);
    }
    // Compared by position, because new forms are added at the end.
    ones.slice(0, others.length).forEach((one, index) => {
      changes.push(...inner(one, others[index], place));
    });
  }
  return changes;
}

/** The types that a schema allows; undefined if it allows all. */
function typesOf(document: Document, schema: unknown, depth = 0): unknown[] | undefined {
  const { type, anyOf, oneOf, ...rest } = document.whole(schema);
  if (type !== undefined) return Array.isArray(type) ? type : [type];
  const values = valuesOf(rest);
  if (values !== undefined) return values.map(typeOf);
  const forms = anyOf ?? oneOf;
  if (!Array.isArray(forms) || depth > DEPTH_MAX) return undefined;
  const types = forms.map((form) => typesOf(document, form, depth + 1));
  return types.includes(undefined) ? undefined : types.flatMap((some) => some ?? []);
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** A caller breaks if it may send fewer types than before, or receives more types. */
function compareTypes(
  old: Document,
  before: Json,
  fresh: Document,
  now: Json,
  place: string,
  direction: Direction,
): string[] {
  // Without a type on either side, the values or the forms are compared by themselves.
  if (before.type === undefined && now.type === undefined) return [];
  const [earlier, later] = [typesOf(old, before), typesOf(fresh, now)];
  const [given, taken] = direction === "sent" ? [earlier, later] : [later, earlier];
  const isFine =
    taken === undefined ||
    given?.every(
      (type) => taken.includes(type) || (type === "integer" && taken.includes("number")),
    );
  if (isFine === true) return [];
  const name = (types: unknown[] | undefined) => types?.join("|") ?? "of any type";
  return [`${place} was ${name(earlier)} and is ${name(later)}`];
}

/** Finds values that were accepted before and are refused now. */
function compareBounds(before: Json, now: Json, place: string, direction: Direction): string[] {
  if (direction === "received") return [];
  const changes: string[] = [];
  for (const [keyword, bound] of Object.entries(now)) {
    if (typeof bound !== "number") continue;
    const earlier = before[keyword];
    const isLower = /^(min|exclusiveMin)/.test(keyword);
    if (!isLower && !/^(max|exclusiveMax)/.test(keyword)) continue;
    const known = typeof earlier === "number" ? earlier : isLower ? -Infinity : Infinity;
    if (isLower ? bound > known : bound < known)
      changes.push(`${place} has ${keyword} ${bound} now`);
  }
  if (now.pattern !== undefined && now.pattern !== before.pattern) {
    changes.push(`${place} must match ${now.pattern} now`);
  }
  if (now.additionalProperties === false && before.additionalProperties !== false) {
    changes.push(`${place} takes no further properties now`);
  }
  return changes;
}

function valuesOf(schema: Json): unknown[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum;
  return "const" in schema ? [schema.const] : undefined;
}

function compareEnum(before: Json, now: Json, place: string, direction: Direction): string[] {
  const [earlier, later] = [valuesOf(before), valuesOf(now)];
  if (later === undefined) return [];
  if (earlier === undefined) {
    return direction === "sent" ? [`${place} takes only ${later.join(", ")} now`] : [];
  }
  return earlier
    .filter((value) => !later.includes(value))
    .map((value) => `${place} no longer knows '${value}'`);
}

function compareRequired(before: Json, now: Json, place: string, direction: Direction): string[] {
  const names = ({ required }: Json): unknown[] => (Array.isArray(required) ? required : []);
  const [earlier, later] = [names(before), names(now)];
  if (direction === "sent") {
    const added = later.filter((name) => !earlier.includes(name));
    return added.map((name) => `${place}.${name} is now required`);
  }
  const kept = asJson(now.properties);
  const dropped = earlier.filter((name) => !later.includes(name) && String(name) in kept);
  return dropped.map((name) => `${place}.${name} may now be missing`);
}
