import { type FilterImplOptions, type Liquid, filters as library } from "liquidjs";
import { TextError } from "./failure.ts";
import {
  type DateStyle,
  formatByCodes,
  formatDate,
  formatMoney,
  formatNumber,
  isKnownZone,
  parseDate,
} from "./format.ts";
import { BUDGET, type Scope, sizeOf, TRANSLATE, toText } from "./scope.ts";

/**
 * The filters that a template may use. Not allowed are filters that evaluate expressions, put lists
 * into lists (their output doubles with each level), choose at random, read the clock, or make
 * markup, which no wallet shows.
 */
const LIBRARY_FILTERS = [
  ...["append", "prepend", "capitalize", "downcase", "upcase", "replace", "replace_first"],
  ...["replace_last", "remove", "remove_first", "remove_last", "strip", "lstrip", "rstrip"],
  ...["strip_newlines", "squish", "truncate", "truncatewords", "slice", "split", "url_encode"],
  ...["abs", "at_least", "at_most", "ceil", "floor", "round", "plus", "minus", "times"],
  ...["divided_by", "modulo", "join", "first", "last", "reverse", "sort", "sort_natural", "map"],
  ...["where", "reject", "sum", "compact", "uniq", "concat", "size", "default"],
] as const;

type Handler = Extract<FilterImplOptions, (...args: never[]) => unknown>;
type FilterThis = ThisParameterType<Handler>;

/** Filters whose result depends on the language of the holder. */
export const LOCALE_FILTERS: ReadonlySet<string> = new Set(["t", "money", "number", "date"]);

const INPUT_LENGTH_MAX = 64 * 1024;

export function installFilters(engine: Liquid): void {
  for (const name of Object.keys(engine.filters)) delete engine.filters[name];
  for (const name of LIBRARY_FILTERS) engine.registerFilter(name, bounded(name));
  engine.registerFilter("t", translate);
  engine.registerFilter("money", money);
  engine.registerFilter("number", number);
  engine.registerFilter("date", date);
}

/**
 * Charges for a filter before it runs, because some filters of the library do not report their
 * cost.
 */
function bounded(name: string): Handler {
  const original = (library as Record<string, FilterImplOptions>)[name];
  const handler = typeof original === "function" ? original : original?.handler;
  if (handler === undefined) throw new Error(`The template engine has no filter '${name}'.`);
  return function (this: FilterThis, ...values: [unknown, ...unknown[]]) {
    let cost = 1;
    for (const value of values) cost += sizeOf(value);
    if (cost > INPUT_LENGTH_MAX) throw new TextError("too-large", `gives '${name}' too much text`);
    this.context.memoryLimit.use(cost);
    return handler.apply(this, values);
  };
}

function scopeOf(filter: FilterThis): Scope {
  return filter.context.environments as Scope;
}

function timeZoneOf(scope: Scope): string {
  const { timeZone } = (scope.tenant ?? {}) as { timeZone?: unknown };
  return typeof timeZone === "string" ? timeZone : "UTC";
}

/** `{{ 'Hello {name}' | t: name: data.firstName }}` */
function translate(this: FilterThis, value: unknown, ...args: unknown[]): string {
  const text = scopeOf(this)[TRANSLATE](toText(value));
  let filled = text;
  for (const arg of args) {
    if (!Array.isArray(arg)) continue;
    const replacement = toText(arg[1]);
    this.context.memoryLimit.use(filled.length * (1 + replacement.length));
    filled = filled.replaceAll(`{${arg[0]}}`, () => replacement);
  }
  return filled;
}

/** `{{ data.price | money: 'EUR' }}` */
function money(this: FilterThis, value: unknown, currency: unknown): string {
  const text = toText(value);
  if (text === "") return "";
  const scope = scopeOf(this);
  const code = toText(currency);
  scope[BUDGET].format(`money ${code} ${scope.locale}`);
  const shown = formatMoney(text, code, scope.locale);
  if (shown === undefined) {
    throw new TextError(
      "render-failed",
      `'money' needs a number and a currency code, such as {{ data.price | money: 'EUR' }}`,
    );
  }
  return shown;
}

const DIGITS_MAX = 20;

/** `{{ data.points | number }}`; `{{ data.weight | number: 2 }}` shows two decimals. */
function number(this: FilterThis, value: unknown, digits: unknown): string {
  const text = toText(value);
  if (text === "") return "";
  const count = Number(digits);
  const options: Intl.NumberFormatOptions =
    digits === undefined || !Number.isInteger(count) || count < 0 || count > DIGITS_MAX
      ? { maximumFractionDigits: DIGITS_MAX }
      : { minimumFractionDigits: count, maximumFractionDigits: count };
  const scope = scopeOf(this);
  scope[BUDGET].format(`number ${options.minimumFractionDigits} ${scope.locale}`);
  const shown = formatNumber(text, scope.locale, options);
  if (shown === undefined) throw new TextError("render-failed", "'number' was not given a number");
  return shown;
}

const CODE_UNITS = 50;
const STYLES: ReadonlySet<string> = new Set(["none", "short", "medium", "long", "full"]);

/**
 * `{{ data.start | date }}`, `| date: 'long'`, `| date: 'medium', 'short'` for date and time,
 * `| date: '%d.%m.%Y'`. The result is in the language of the holder and the time zone of the
 * tenant, or in that of `| date: 'long', timeZone: 'America/New_York'`.
 */
function date(this: FilterThis, value: unknown, ...args: unknown[]): string {
  const text = toText(value);
  if (text === "") return "";
  const scope = scopeOf(this);
  const timeZone = namedZone(args, scope) ?? timeZoneOf(scope);
  const moment = parseDate(text, timeZone);
  const [style, timeStyle] = args.filter((arg) => !isZone(arg));
  const form = style === undefined ? "medium" : toText(style);
  const time = timeStyle === undefined ? "none" : toText(timeStyle);
  if (moment === undefined) {
    throw new TextError("render-failed", "'date' was not given an ISO 8601 date");
  }
  if (form.includes("%")) {
    // Each code may be the name of a day or a month, which needs its own formatter.
    this.context.memoryLimit.use(form.length * CODE_UNITS);
    return formatByCodes(moment, scope.locale, timeZone, form) ?? "";
  }
  if (!STYLES.has(form) || !STYLES.has(time) || (form === "none" && time === "none")) {
    throw new TextError(
      "render-failed",
      "'date' knows the styles short, medium, long and full, and codes such as '%d.%m.%Y'",
    );
  }
  scope[BUDGET].format(`date ${form} ${time} ${scope.locale} ${timeZone}`);
  const styles = { date: form as DateStyle, time: time as DateStyle };
  return formatDate(moment, scope.locale, timeZone, styles) ?? "";
}

/** Named arguments arrive as a pair of name and value. */
function isZone(arg: unknown): arg is readonly [string, unknown] {
  return Array.isArray(arg) && arg.length === 2 && arg[0] === "timeZone";
}

/** A pass without the data that names the zone is shown in that of the tenant. */
function namedZone(args: readonly unknown[], scope: Scope): string | undefined {
  const name = toText(args.find(isZone)?.[1]);
  if (name === "") return undefined;
  // Each zone needs a formatter to know its clock.
  scope[BUDGET].format(`zone ${name}`);
  if (isKnownZone(name)) return name;
  throw new TextError("render-failed", `there is no time zone '${name.slice(0, 64)}'`);
}
