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

export async function lintWithSpectral(path = DOCUMENT): Promise<LintReport> {
  const spectral = new spectralCore.Spectral();
  // The types of the two Spectral packages differ in one member.
  const rules = spectralRulesets.oas as unknown as spectralCore.RulesetDefinition;
  spectral.setRuleset({ extends: [[rules, "recommended"]] });
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
