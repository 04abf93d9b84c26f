import ts from "typescript";

/**
 * Makes values of the types that functions take, so that they can be called without anybody writing
 * down arguments for each: `full` ones hold everything that may be there, `spare` ones only what must.
 */
export type Fullness = "full" | "spare";

/** Values of named types that are more than data, such as a transaction. */
export type NamedValues = Readonly<Record<string, (type: ts.Type) => unknown>>;

const DEPTH_MAX = 8;

export class ValueMaker {
  readonly #checker: ts.TypeChecker;
  readonly #named: NamedValues;
  readonly #fullness: Fullness;

  constructor(checker: ts.TypeChecker, fullness: Fullness, named: NamedValues) {
    this.#checker = checker;
    this.#fullness = fullness;
    this.#named = named;
  }

  make(type: ts.Type, depth = 0): unknown {
    if (depth > DEPTH_MAX) return undefined;
    for (const name of namesOf(type)) {
      const named = this.#named[name] ?? BUILT_IN[name];
      if (named !== undefined) return named(type);
    }
    if (type.isUnion()) return this.make(this.#choose(type.types), depth);
    if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
    const { flags } = type;
    if (flags & ts.TypeFlags.StringLike) return "x";
    if (flags & ts.TypeFlags.NumberLike) return 1;
    if (flags & ts.TypeFlags.BooleanLike) return this.#checker.typeToString(type) !== "false";
    if (flags & ts.TypeFlags.Null) return null;
    if (flags & ts.TypeFlags.Undefined) return undefined;
    if (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return this.#object(type, depth);
    return {};
  }

  /** Full values are the longest of a choice, spare ones are nothing where that is allowed. */
  #choose(types: readonly ts.Type[]): ts.Type {
    const nothing = ts.TypeFlags.Null | ts.TypeFlags.Undefined;
    const some = types.filter(({ flags }) => (flags & nothing) === 0);
    const none = types.find(({ flags }) => (flags & nothing) !== 0);
    const chosen = this.#fullness === "full" ? some.at(-1) : (none ?? some[0]);
    return chosen ?? (types[0] as ts.Type);
  }

  #object(type: ts.Type, depth: number): unknown {
    const checker = this.#checker;
    const made = () =>
      checker.getTypeArguments(type as ts.TypeReference).map((one) => this.make(one, depth + 1));
    if (checker.isArrayType(type) || checker.isTupleType(type)) {
      return checker.isArrayType(type) && this.#fullness === "spare" ? [] : made();
    }
    if (/^(Readonly)?Map$/.test(type.symbol?.name)) {
      return new Map(this.#fullness === "full" ? [made() as [unknown, unknown]] : []);
    }
    if (type.symbol?.name === "Promise") return Promise.resolve(made()[0]);
    const [call] = type.getCallSignatures();
    if (call !== undefined) return () => this.make(call.getReturnType(), depth + 1);
    const value: Record<string, unknown> = {};
    for (const member of type.getProperties()) {
      value[member.name] = this.make(checker.getTypeOfSymbol(member), depth + 1);
    }
    const values = type.getStringIndexType();
    if (values !== undefined && this.#fullness === "full") value.x = this.make(values, depth + 1);
    return value;
  }
}

const BUILT_IN: NamedValues = {
  Date: () => new Date(0),
  Buffer: () => Buffer.from("x"),
  Set: () => new Set(),
  ReadonlySet: () => new Set(),
};

/** The alias and the class or interface of a type; of `Pick<Database, "read">`, those of the database. */
function namesOf(type: ts.Type): string[] {
  const [whole] = type.aliasTypeArguments ?? [];
  if (type.aliasSymbol?.name === "Pick" && whole !== undefined) return namesOf(whole);
  const own = [type.aliasSymbol?.name, type.symbol?.name].filter((name) => name !== undefined);
  return type.isIntersection() ? [...own, ...type.types.flatMap(namesOf)] : own;
}
