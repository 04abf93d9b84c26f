/*
 * Matrices of three things. An ordinary run lets every two of them meet, because the third takes turns;
 * `npm test -- --long` tries all three together.
 */

export const LONG_VARIABLE = "BILLFOLD_TEST_LONG";

const isLong = (): boolean => process.env[LONG_VARIABLE] === "1";

/** The value whose turn it is; in a long run all of them. */
export function inTurn<Value>(values: readonly Value[], turn: number): readonly Value[] {
  if (isLong()) return values;
  return values.slice(turn % values.length).slice(0, 1);
}

/**
 * As `inTurn`, for a matrix in which each of the first things takes so many turns, one after the other. With fewer
 * turns than values, it would never meet some of them.
 */
export function pairInTurn<Value>(
  values: readonly Value[],
  turn: number,
  turns: number,
): readonly Value[] {
  if (values.length > turns) {
    throw new RangeError(`${turns} turns do not reach ${values.length} values.`);
  }
  return inTurn(values, turn);
}

/** True for every second turn; in a long run always. */
export const isTurn = (turn: number): boolean => isLong() || turn % 2 === 0;
