/** One course of values, with the colour that it has everywhere in a chart. */
export type ChartSeries = {
  readonly name: string;
  readonly tone: "one" | "two" | "three" | "bad";
  readonly values: readonly number[];
};

export type ChartProps = {
  readonly title: string;
  /** Bars stand on each other, so they should add up to something; lines are compared. */
  readonly kind: "bars" | "lines";
  /** What each value is of, in full. */
  readonly labels: readonly string[];
  /** The same, as short as an axis needs it. */
  readonly shortLabels: readonly string[];
  readonly series: readonly ChartSeries[];
};
