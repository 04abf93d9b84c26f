import {
  CaptureTag,
  CaseTag,
  type Context,
  defaultOperators,
  type Emitter,
  evalToken,
  evalTokenValue,
  ForTag,
  type Liquid,
  type Operators,
  type Template,
  TokenKind,
  toValue,
} from "liquidjs";
import type { RenderBudget } from "./budget.ts";
import { TextError } from "./failure.ts";
import { BUDGET, OUTPUT_BYTES_MAX, outputTooLarge, type Scope, sizeOf, toText } from "./scope.ts";

/** Without `include`, `render`, `layout` and `block`, because a text must not use other texts. */
const TAGS: ReadonlySet<string> = new Set([
  ...["if", "unless", "case", "for", "break", "continue"],
  ...["assign", "capture", "comment", "raw", "echo", "#"],
]);

const LOOP_LENGTH_MAX = 1_000;

export function installTags(engine: Liquid): void {
  for (const name of Object.keys(engine.tags)) {
    if (!TAGS.has(name)) delete engine.tags[name];
  }
  engine.registerTag("for", BoundedForTag);
  engine.registerTag("capture", BoundedCaptureTag);
  engine.registerTag("case", BoundedCaseTag);
}

/** Charges for comparing lists, because the library does not. */
export const OPERATORS: Operators = Object.fromEntries(
  Object.entries(defaultOperators).map(([name, operator]) => {
    const compare = operator as (...operands: unknown[]) => Generator<unknown, unknown, unknown>;
    const priced = isUnary(name)
      ? (value: unknown, context: Context) => compare(value, context)
      : (left: unknown, right: unknown, context: Context) => {
          context.memoryLimit.use(sizeOf(left) + sizeOf(right));
          return compare(left, right, context);
        };
    return [name, priced];
  }),
) as Operators;

function isUnary(operator: string): boolean {
  return operator === "not";
}

/** Collects the output of a text, and stops when the output is too large. */
export class BoundedEmitter implements Emitter {
  buffer = "";
  readonly #budget: RenderBudget;
  #bytes = 0;

  constructor(budget: RenderBudget) {
    this.#budget = budget;
  }

  write(value: unknown): void {
    // A list may have thousands of members and still give no text, so its members are charged.
    if (typeof value === "object") this.#budget.use(sizeOf(value));
    const text = toText(value);
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes > OUTPUT_BYTES_MAX) throw outputTooLarge();
    this.buffer += text;
  }
}

/**
 * The library's tag has no limit: repeating `{% capture a %}{{ a }}{{ a }}{% endcapture %}` doubles
 * the text each time.
 */
class BoundedCaptureTag extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    const emitter = new BoundedEmitter((context.environments as Scope)[BUDGET]);
    yield this.liquid.renderer.renderTemplates(this.templates, context, emitter);
    context.memoryLimit.use(emitter.buffer.length);
    context.bottom()[this.variable] = emitter.buffer;
  }
}

/** The library's tag compares without `OPERATORS`, so that nothing would be charged. */
class BoundedCaseTag extends CaseTag {
  override *render(context: Context, emitter: Emitter): Generator<unknown, void, unknown> {
    const { renderer } = this.liquid;
    const target: unknown = toValue(yield this.value.value(context));
    let isHit = false;
    for (const { values, templates } of this.branches) {
      for (const token of values) {
        const value: unknown = yield evalToken(token, context);
        if (!(yield OPERATORS["=="]?.(target, value, context as never))) continue;
        yield renderer.renderTemplates(templates, context, emitter);
        isHit = true;
        break;
      }
    }
    if (!isHit) yield renderer.renderTemplates(this.elseTemplates, context, emitter);
  }
}

type RangeEnds = { kind: number; lhs: never; rhs: never };

/**
 * The library's tag creates every number of a range before the first turn. Beyond 2^53, adding one
 * changes nothing, so that it never ends. Its `forloop` is an instance of a class, whose prototype
 * a template could reach; here `forloop` is a plain object.
 */
class BoundedForTag extends ForTag {
  override *render(context: Context, emitter: Emitter): Generator<unknown, void, Template[]> {
    const all = (yield this.items(context)) as unknown as readonly unknown[];
    const items = this.cut(all, (yield this.hash.render(context)) as unknown as LoopOptions);
    const { renderer } = this.liquid;
    if (items.length === 0) {
      yield renderer.renderTemplates(this.elseTemplates, context, emitter);
      return;
    }
    const scope: Record<string, unknown> = Object.create(null);
    context.push(scope);
    for (const [at, item] of items.entries()) {
      scope[this.variable] = item;
      scope.forloop = loopState(at, items.length);
      context.continueCalled = false;
      context.breakCalled = false;
      yield renderer.renderTemplates(this.templates, context, emitter);
      if (context.breakCalled) break;
    }
    context.continueCalled = false;
    context.breakCalled = false;
    context.pop();
  }

  private *items(context: Context): Generator<unknown, readonly unknown[], unknown> {
    const { kind, lhs, rhs } = this.collection as unknown as RangeEnds;
    if (kind === TokenKind.Range) {
      return range(yield evalTokenValue(lhs, context), yield evalTokenValue(rhs, context));
    }
    const collection: unknown = yield evalTokenValue(this.collection, context);
    if (Array.isArray(collection)) return collection;
    if (typeof collection === "string") return collection === "" ? [] : [collection];
    if (typeof collection !== "object" || collection === null) return [];
    const entries = Object.entries(collection);
    context.memoryLimit.use(entries.length);
    return entries;
  }

  private cut(items: readonly unknown[], options: LoopOptions): readonly unknown[] {
    const offset = toCount(options.offset, 0);
    const limit = toCount(options.limit, items.length);
    const taken = items.slice(offset, offset + limit);
    if (taken.length > LOOP_LENGTH_MAX) throw tooManyTurns();
    return options.reversed === undefined ? taken : taken.reverse();
  }
}

type LoopOptions = { offset?: unknown; limit?: unknown; reversed?: unknown };

function toCount(value: unknown, otherwise: number): number {
  const count = Math.floor(Number(value));
  return value === undefined || !(count >= 0) ? otherwise : count;
}

function range(low: unknown, high: unknown): number[] {
  const [first, last] = [Math.ceil(Number(low)), Math.floor(Number(high))];
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last)) return [];
  const length = last - first + 1;
  if (length > LOOP_LENGTH_MAX) throw tooManyTurns();
  return length > 0 ? Array.from({ length }, (_, at) => first + at) : [];
}

function tooManyTurns(): TextError {
  return new TextError("too-slow", `goes round more than ${LOOP_LENGTH_MAX} times`);
}

function loopState(at: number, length: number): Readonly<Record<string, unknown>> {
  return {
    index: at + 1,
    index0: at,
    rindex: length - at,
    rindex0: length - at - 1,
    first: at === 0,
    last: at === length - 1,
    length,
  };
}
