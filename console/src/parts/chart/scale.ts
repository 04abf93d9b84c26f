const STEPS = [1, 2, 2.5, 5, 10];
/** So many lines, if the axis can be divided by it into whole numbers. */
const LINES = [4, 5, 1];
const LEAST = 4;

/** The end of an axis of counts: a round number that is not much larger than the largest value. */
export function niceMax(largest: number): number {
  if (largest <= LEAST) return LEAST;
  const power = 10 ** Math.floor(Math.log10(largest));
  const step = STEPS.find((candidate) => candidate * power >= largest) ?? 10;
  return step * power;
}

/** The places of the lines behind a chart, from the top of the axis down to one above zero. */
export function linesOf(max: number): readonly number[] {
  const lines = LINES.find((count) => max % count === 0) ?? 1;
  return Array.from({ length: lines }, (_, at) => max - (at * max) / lines);
}

/** At most so many labels along an axis, the first and the last among them. */
export function ticksOf(count: number, most: number): readonly number[] {
  if (count <= most) return Array.from({ length: count }, (_, at) => at);
  return Array.from({ length: most }, (_, at) => Math.round((at * (count - 1)) / (most - 1)));
}
