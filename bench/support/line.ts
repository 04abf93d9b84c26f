import type { Bench } from "./bench.ts";

/** What one short round gave, by measure. */
export type Sample = Readonly<Record<string, number>>;

/** Runs one round and says what it measured. Throws when an answer was not as it should be. */
export type Contender = () => Promise<Sample>;

export type Bar =
  | { readonly of: "ratio"; readonly atLeast: number }
  | { readonly of: "ratio" | "ours"; readonly below: number };

export type Measure = {
  readonly unit: string;
  /** What must hold; without one the figure is only reported. */
  readonly bar?: Bar;
};

export type Contest = {
  readonly ours: Contender;
  /** By the name the table shows. Empty where there is nothing fair to compare with. */
  readonly baselines: Readonly<Record<string, Contender>>;
};

export type Line = {
  /** What the filter of the command line looks at, too. */
  readonly name: string;
  readonly measures: Readonly<Record<string, Measure>>;
  /** Rounds that count; others run before them to warm up. */
  readonly rounds: number;
  /** Two unless a round takes so long that it warms up by itself. */
  readonly warmUpRounds?: number;
  prepare(bench: Bench): Promise<Contest>;
};

/** One line of the benchmark: a module under `bench/lines`, listed in `bench/run.ts`. */
export function defineLine(line: Line): Line {
  return line;
}
