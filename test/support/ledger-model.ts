import fc from "fast-check";

/*
 * Privileges and their ledgers as the contract describes them, in ten-thousandths and without any code
 * of the service, and the steps that are tried on both.
 */

export const UNITS = 10_000;
const MAXIMUM = 10 * UNITS;
const TYPES = ["MultiUse", "OneTime", "Unlimited", "Unlockable"] as const;
type PrivilegeType = (typeof TYPES)[number];

export type Terms = { readonly type: PrivilegeType; readonly value: number | null };
type Named = { readonly id: string };
export type Step = Named &
  (
    | ({ readonly kind: "create" | "put" } & Terms)
    | { readonly kind: "retype"; readonly type: PrivilegeType }
    | { readonly kind: "move"; readonly by: number; readonly expects: boolean }
    | { readonly kind: "keyed"; readonly by: number; readonly count: number }
    | { readonly kind: "rush"; readonly by: number; readonly count: number }
    | ({ readonly kind: "clash"; readonly by: number; readonly door: Door } & Terms)
    | { readonly kind: "reverse"; readonly pick: number }
    | { readonly kind: "delete" }
  );
/** What meets movements in a clash. */
type Door = "create" | "put" | "delete";

const id = fc.constantFrom("a", "b");
/** Often the one that a OneTime privilege has, which a random number never is. */
const by = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -6 * UNITS, max: 6 * UNITS }) },
  { weight: 1, arbitrary: fc.constantFrom(UNITS, -UNITS) },
);
const moved = by.filter((value) => value !== 0);
const count = fc.integer({ min: 2, max: 6 });
const countedValue = fc.option(fc.integer({ min: 0, max: MAXIMUM }));
const VALUES = {
  MultiUse: countedValue,
  Unlockable: countedValue,
  OneTime: fc.constantFrom(null, 0, UNITS),
  Unlimited: fc.option(fc.integer({ min: -MAXIMUM, max: MAXIMUM })),
};
const terms = fc
  .constantFrom(...TYPES)
  .chain((type) => fc.record({ type: fc.constant(type), value: VALUES[type] }));
const kind = <Kind extends string>(name: Kind) => fc.constant(name);
export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom("create" as const, "put" as const), id, terms)
      .map(([name, on, given]) => ({ kind: name, id: on, ...given })),
  },
  { weight: 4, arbitrary: fc.record({ kind: kind("move"), id, by: moved, expects: fc.boolean() }) },
  fc.record({ kind: kind("keyed"), id, by: moved, count }),
  fc.record({ kind: kind("rush"), id, by: moved, count }),
  fc.record({ kind: kind("retype"), id, type: fc.constantFrom(...TYPES) }),
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom<Door>("create", "put", "delete"), id, moved, terms)
      .map(([door, on, size, given]) => ({
        kind: "clash" as const,
        door,
        id: on,
        by: size,
        ...given,
      })),
  },
  { weight: 3, arbitrary: fc.record({ kind: kind("reverse"), id, pick: fc.nat({ max: 9 }) }) },
  fc.record({ kind: kind("delete"), id }),
);

type Status = "available" | "locked" | "used";
type Line = {
  readonly movementId: string;
  readonly sequence: number;
  readonly by: number;
  readonly isUndo: boolean;
  undone: boolean;
};

/** One privilege of the model, with its movements since it was created that answers told of. */
class Known {
  type: PrivilegeType;
  value: number | null;
  total: number;
  readonly lines: Line[] = [];
  /** The status that was given, and after which movement. */
  given: { status: Status; sequence: number };

  constructor({ type, value }: Terms, sequence: number) {
    this.type = type;
    this.value = value;
    this.total = value ?? 0;
    this.given = { status: type === "Unlockable" ? "locked" : "available", sequence };
  }

  get counts(): boolean {
    return this.value !== null || this.type === "MultiUse" || this.type === "Unlockable";
  }

  /** What the last movement that stands has made of the status that was given. */
  get status(): Status {
    const standing = this.lines
      .filter(
        ({ sequence, undone, isUndo }) => sequence > this.given.sequence && !undone && !isUndo,
      )
      .filter((line) => line.by > 0 || this.type === "OneTime")
      .toSorted((one, other) => other.sequence - one.sequence);
    if (standing[0] === undefined) return this.given.status;
    return standing[0].by > 0 ? "available" : "used";
  }

  /** How a movement is answered; a redemption unless it is an undo. */
  answer(step: number, isUndo = false): 201 | 400 | 409 {
    if (step < 0 && !isUndo && this.status !== "available") return 409;
    if (!this.counts || this.type === "Unlimited") return 201;
    const after = this.total + step;
    const most = this.type === "OneTime" ? UNITS : MAXIMUM;
    if (step < 0 ? after < 0 : after > most) return 409;
    const isPart = this.type === "OneTime" && after % UNITS !== 0;
    return isPart ? 400 : 201;
  }

  may(step: number, isUndo = false): boolean {
    return this.answer(step, isUndo) === 201;
  }

  /** How a PUT is answered that changes the type and keeps the value. */
  retypeAnswer(type: PrivilegeType): 200 | 400 | 409 {
    const { value } = this;
    if (value === null || type === "Unlimited") return 200;
    if (type === "OneTime" && value !== 0 && value !== UNITS) return 400;
    return value >= 0 && value <= MAXIMUM ? 200 : 409;
  }

  move(step: number, { movementId, sequence }: Answered, isUndo = false): void {
    this.total += step;
    if (this.counts) this.value = this.total;
    this.lines.push({ movementId, sequence, by: step, isUndo, undone: false });
  }
}

export type Answered = { readonly movementId: string; readonly sequence: number };

export class Model {
  readonly privileges = new Map<string, Known>();
  /** How many movements each ledger must have, also from before a privilege was created anew. */
  readonly sequences = new Map<string, number>();
  /** All movements that can still be undone, or could once. */
  readonly lines: (Line & { readonly of: Known; readonly id: string })[] = [];

  sequence(name: string): number {
    return this.sequences.get(name) ?? 0;
  }

  get count(): number {
    return this.sequence("a") + this.sequence("b");
  }

  raise(name: string): number {
    this.sequences.set(name, this.sequence(name) + 1);
    return this.sequence(name);
  }

  write(name: string, { type, value }: Terms): void {
    const known = this.privileges.get(name);
    if (known === undefined) {
      if ((value ?? 0) !== 0) this.raise(name);
      this.privileges.set(name, new Known({ type, value }, this.sequence(name)));
      return;
    }
    if (type !== known.type) known.given = { status: known.status, sequence: this.sequence(name) };
    const onlyRecords = known.value === null && value === null;
    known.type = type;
    known.value = value;
    if (onlyRecords && !known.counts) return;
    if (known.total !== (value ?? 0)) this.raise(name);
    known.total = value ?? 0;
  }
}
