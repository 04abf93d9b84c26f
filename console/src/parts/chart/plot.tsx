import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { useFormat } from "../../words/format.ts";
import { useWords } from "../../words/language.ts";
import classes from "./chart.module.css";
import { linesOf, niceMax, ticksOf } from "./scale.ts";
import type { ChartProps, ChartSeries } from "./series.ts";
import { words } from "./words.ts";

/** The drawing is stretched to its place: these are shares, and not pixels. */
const WIDTH = 1_000;
const HEIGHT = 100;
/** The part of its place that a bar leaves free. */
const GAP = 0.28;
const TICKS_MAX = 4;

export function Plot({ title, kind, labels, shortLabels, series }: ChartProps) {
  const w = useWords(words);
  const format = useFormat();
  const [chosen, setChosen] = useState<number>();
  const count = labels.length;
  const sums = labels.map((_, at) => sumAt(series, at));
  const largest = kind === "bars" ? sums : series.flatMap(({ values }) => values);
  const max = niceMax(Math.max(0, ...largest));
  const telling = (at: number): string =>
    [
      labels[at],
      ...series.map(({ name, values }) => `${name} ${format.number(values[at] ?? 0)}`),
    ].join(", ");

  function move(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };
    const ends: Readonly<Record<string, number>> = { Home: 0, End: count - 1 };
    const step = steps[event.key];
    const to = step === undefined ? ends[event.key] : (chosen ?? count - 1) + step;
    if (event.key === "Escape") setChosen(undefined);
    if (to === undefined) return;
    event.preventDefault();
    setChosen(Math.min(Math.max(to, 0), count - 1));
  }

  function point(event: PointerEvent<HTMLElement>): void {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const at = Math.floor(((event.clientX - left) / width) * count);
    setChosen(at >= 0 && at < count ? at : undefined);
  }

  return (
    <>
      <div
        className={classes.plot}
        role="slider"
        tabIndex={0}
        aria-label={w.readBy(title)}
        aria-valuemin={0}
        aria-valuemax={count - 1}
        aria-valuenow={chosen ?? count - 1}
        aria-valuetext={telling(chosen ?? count - 1)}
        onKeyDown={move}
        onFocus={() => setChosen((before) => before ?? count - 1)}
        onBlur={() => setChosen(undefined)}
        onPointerMove={point}
        onPointerLeave={() => setChosen(undefined)}
      >
        <svg
          className={classes.drawing}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden
        >
          {[...linesOf(max), 0].map((line) => (
            <line
              key={line}
              className={classes.gridLine}
              x1={0}
              x2={WIDTH}
              y1={heightOf(line, max)}
              y2={heightOf(line, max)}
            />
          ))}
          {chosen !== undefined && (
            <rect
              className={classes.cursor}
              x={(chosen * WIDTH) / count}
              width={WIDTH / count}
              height={HEIGHT}
            />
          )}
          {kind === "bars" ? (
            <Bars series={series} count={count} max={max} />
          ) : (
            <Lines series={series} count={count} max={max} />
          )}
        </svg>
        {[...linesOf(max), 0].map((line) => (
          <span
            key={line}
            className={classes.scale}
            style={{ top: `${heightOf(line, max)}%` }}
            aria-hidden
          >
            {format.number(line)}
          </span>
        ))}
        {chosen !== undefined && (
          <Tip at={chosen} count={count} label={labels[chosen] ?? ""} series={series} />
        )}
      </div>
      <div className={classes.ticks} aria-hidden>
        {ticksOf(count, TICKS_MAX).map((at) => (
          <span key={at} style={{ left: `${((at + 0.5) / count) * 100}%` }}>
            {shortLabels[at]}
          </span>
        ))}
      </div>
    </>
  );
}

const heightOf = (value: number, max: number): number => HEIGHT - (value / max) * HEIGHT;

const sumAt = (series: readonly ChartSeries[], at: number): number =>
  series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0);

type DrawnProps = {
  readonly series: readonly ChartSeries[];
  readonly count: number;
  readonly max: number;
};

function Bars({ series, count, max }: DrawnProps) {
  const place = WIDTH / count;
  return series.map(({ name, tone, values }, level) => (
    <g key={name} className={classes[tone]}>
      {values.map((value, at) => {
        const top = heightOf(sumAt(series.slice(0, level + 1), at), max);
        return value === 0 ? undefined : (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: the place in time is what a bar is.
            key={at}
            className={classes.bar}
            x={(at + GAP / 2) * place}
            y={top}
            width={place * (1 - GAP)}
            height={(value / max) * HEIGHT}
          />
        );
      })}
    </g>
  ));
}

function Lines({ series, count, max }: DrawnProps) {
  return series.map(({ name, tone, values }) => (
    <polyline
      key={name}
      className={`${classes.line} ${classes[tone]}`}
      points={values
        .map((value, at) => `${((at + 0.5) / count) * WIDTH},${heightOf(value, max)}`)
        .join(" ")}
    />
  ));
}

type TipProps = {
  readonly at: number;
  readonly count: number;
  readonly label: string;
  readonly series: readonly ChartSeries[];
};

function Tip({ at, count, label, series }: TipProps) {
  const format = useFormat();
  const share = (at + 0.5) / count;
  const side = share < 0.25 ? "left" : share > 0.75 ? "right" : "middle";
  return (
    <div className={classes.tip} data-side={side} style={{ left: `${share * 100}%` }} aria-hidden>
      <div>{label}</div>
      {series.map(({ name, tone, values }) => (
        <div key={name} className={classes.tipLine}>
          <span>
            <span className={`${classes.swatch} ${classes[tone]}`} />
            {name}
          </span>
          <strong>{format.number(values[at] ?? 0)}</strong>
        </div>
      ))}
    </div>
  );
}
