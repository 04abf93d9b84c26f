import type { Bench } from "./bench.ts";
import type { Bar, Contender, Line, Sample } from "./line.ts";
import { scaled } from "./scale.ts";

export type Spread = { readonly median: number; readonly min: number; readonly max: number };

export type Result = {
  readonly line: string;
  readonly measure: string;
  readonly unit: string;
  readonly ours: Spread;
  /** Undefined, as is the ratio, for a line that compares with nothing. */
  readonly baseline: { readonly name: string; readonly value: Spread } | undefined;
  /** Ours divided by the baseline of the same round. */
  readonly ratio: Spread | undefined;
  readonly bar: string | undefined;
  readonly holds: boolean;
};

/** Until V8 has compiled what there is to compile, figures speak of V8. */
const WARM_UP_ROUNDS = 2;

/**
 * Takes turns, round by round (A B A B …), so that whatever else the machine does falls on both, and
 * compares within each round: the median of those ratios is steady where the figures are not.
 */
export async function compare(line: Line, bench: Bench): Promise<Result[]> {
  const { ours, baselines } = await line.prepare(bench);
  const contenders = new Map<string, Contender>([["ours", ours], ...Object.entries(baselines)]);
  const samples = new Map<string, Sample[]>([...contenders.keys()].map((name) => [name, []]));
  const warmUpRounds = scaled(line.warmUpRounds ?? WARM_UP_ROUNDS);
  for (let round = 0; round < warmUpRounds + scaled(line.rounds); round += 1) {
    for (const [name, run] of contenders) {
      const sample = await run();
      if (round >= warmUpRounds) samples.get(name)?.push(sample);
    }
  }
  return Object.keys(line.measures).flatMap((measure) => present(line, measure, samples));
}

function present(
  line: Line,
  measure: string,
  samples: ReadonlyMap<string, readonly Sample[]>,
): Result[] {
  const valuesOf = (name: string) =>
    (samples.get(name) ?? []).map((sample) => sample[measure] ?? 0);
  const { unit, bar } = line.measures[measure] ?? { unit: "" };
  const ours = valuesOf("ours");
  const about = { line: line.name, measure, unit, ours: spreadOf(ours) };
  const judge = (ratio: Spread | undefined) => ({
    bar: bar === undefined ? undefined : describe(bar),
    holds: bar === undefined || isMet(bar, about.ours, ratio),
  });

  const names = [...samples.keys()].filter((name) => name !== "ours");
  if (names.length === 0) {
    return [{ ...about, baseline: undefined, ratio: undefined, ...judge(undefined) }];
  }
  return names.map((name) => {
    const values = valuesOf(name);
    const ratio = spreadOf(ours.map((value, round) => value / (values[round] ?? Number.NaN)));
    return { ...about, baseline: { name, value: spreadOf(values) }, ratio, ...judge(ratio) };
  });
}

function isMet(bar: Bar, ours: Spread, ratio: Spread | undefined): boolean {
  const value = (bar.of === "ours" ? ours : ratio)?.median ?? Number.NaN;
  return "atLeast" in bar ? value >= bar.atLeast : value < bar.below;
}

function describe(bar: Bar): string {
  return "atLeast" in bar ? `>= ${bar.atLeast}` : `< ${bar.below}`;
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
  return { median, min: sorted[0] ?? 0, max: sorted.at(-1) ?? 0 };
}
