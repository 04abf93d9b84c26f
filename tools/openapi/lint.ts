import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import spectralCore from "@stoplight/spectral-core";
import spectralParsers from "@stoplight/spectral-parsers";
import spectralRulesets from "@stoplight/spectral-rulesets";

/*
 * Checks openapi.json with the recommended rules of two linters: `npm run lint:api`. Neither linter
 * uses the network.
 */

const DOCUMENT = join(import.meta.dirname, "../../openapi.json");
const REDOCLY = createRequire(import.meta.url).resolve("@redocly/cli/bin/cli.js");
const SPECTRAL_ERROR = 0;

export type LintReport = {
  readonly linter: "redocly" | "spectral";
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
};

type RedoclyProblem = {
  readonly severity: string;
  readonly ruleId: string;
  readonly message: string;
};

export async function lintWithRedocly(path = DOCUMENT): Promise<LintReport> {
  const environment = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const env = { ...process.env, ...environment };
  const run = promisify(execFile)(process.execPath, [REDOCLY, "lint", path, "--format=json"], {
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  // Redocly exits with an error if it finds errors, but it has printed the report.
  const { stdout } = await run.catch((failure: { stdout: string }) => failure);
  const { problems } = JSON.parse(stdout) as { problems: readonly RedoclyProblem[] };
  const ofSeverity = (wanted: string) =>
    problems
      .filter(({ severity }) => severity === wanted)
      .map(({ ruleId, message }) => `${ruleId}: ${message}`);
  return { linter: "redocly", errors: ofSeverity("error"), warnings: ofSeverity("warn") };
}

/** The types of the two Spectral packages differ in one member. */
const SPECTRAL_RULES = spectralRulesets.oas as unknown as spectralCore.RulesetDefinition & {
  readonly rules: Readonly<Record<string, { readonly then: unknown }>>;
};
/** Those that hold an example to its schema. */
const EXAMPLE_RULES = ["oas3-valid-media-example", "oas3-valid-schema-example"];

type Check = (
  ...given: readonly [unknown, unknown, { readonly path: readonly unknown[] }]
) => unknown;

/**
 * The same rules. Those for examples compile a schema each time, and see every response and header again
 * for each operation that refers to it: what had no mistake is not looked at again.
 */
function withoutRepetition(): spectralCore.RulesetDefinition {
  const rules = { ...SPECTRAL_RULES.rules };
  for (const name of EXAMPLE_RULES) {
    const rule = rules[name];
    const then = rule?.then as { readonly function: Check } | undefined;
    if (then === undefined) throw new Error(`Spectral has no rule ${name}.`);
    // biome-ignore lint/suspicious/noThenProperty: Spectral's own name for what a rule does.
    rules[name] = { ...rule, then: { ...then, function: onceIfRight(then.function) } };
  }
  return { ...SPECTRAL_RULES, rules } as spectralCore.RulesetDefinition;
}

function onceIfRight(check: Check): Check {
  const right = new Set<string>();
  return (value, options, context) => {
    // Members that are only read or only written are required of one direction alone.
    const [first, second, , fourth] = context.path;
    const direction = first === "paths" ? fourth : second;
    const known = JSON.stringify([direction, value]);
    if (right.has(known)) return undefined;
    const found = check(value, options, context);
    if (found === undefined || (Array.isArray(found) && found.length === 0)) right.add(known);
    return found;
  };
}

export async function lintWithSpectral(path = DOCUMENT): Promise<LintReport> {
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset({ extends: [[withoutRepetition(), "recommended"]] });
  const text = await readFile(path, "utf8");
  const document = new spectralCore.Document(text, spectralParsers.Json, path);
  const found = await spectral.run(document);
  const isError = ({ severity }: { severity: number }) => severity === SPECTRAL_ERROR;
  const describe = ({ code, message, path: place }: (typeof found)[number]) =>
    `${code}: ${message} (${place.join(".")})`;
  return {
    linter: "spectral",
    errors: found.filter(isError).map(describe),
    warnings: found.filter((each) => !isError(each)).map(describe),
  };
}

if (import.meta.main) {
  const reports = await Promise.all([lintWithRedocly(), lintWithSpectral()]);
  for (const { linter, errors, warnings } of reports) {
    for (const error of errors) console.error(`${linter}: error: ${error}`);
    for (const warning of warnings) console.log(`${linter}: ${warning}`);
    if (errors.length > 0) process.exitCode = 1;
  }
}
