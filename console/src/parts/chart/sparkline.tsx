import classes from "./chart.module.css";
import type { ChartSeries } from "./series.ts";

const WIDTH = 100;
const HEIGHT = 30;

/** The course of a number, beside the number itself: for the eye alone. */
export function Sparkline({ values, tone }: Pick<ChartSeries, "values" | "tone">) {
  const max = Math.max(1, ...values);
  const last = Math.max(1, values.length - 1);
  const points = values.map(
    (value, at) => `${(at / last) * WIDTH},${HEIGHT - (value / max) * HEIGHT}`,
  );
  return (
    <svg
      className={`${classes.spark} ${classes.colors}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      <g className={classes[tone]}>
        <polygon
          className={classes.sparkArea}
          points={[`0,${HEIGHT}`, ...points, `${WIDTH},${HEIGHT}`].join(" ")}
        />
        <polyline className={classes.line} points={points.join(" ")} />
      </g>
    </svg>
  );
}
