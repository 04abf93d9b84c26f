import { Chart } from "../parts/chart/chart.tsx";
import type { ChartSeries } from "../parts/chart/series.ts";
import { useLanguage, useWords } from "../words/language.ts";
import type { Numbers, Period } from "./numbers.ts";
import classes from "./overview.module.css";
import { words } from "./words.ts";

/** What happened, step by step. */
export function Charts({ period }: { period: Period }) {
  const w = useWords(words);
  const axis = useAxis(period);
  const series = (
    name: string,
    tone: ChartSeries["tone"],
    read: (numbers: Numbers) => number,
  ): ChartSeries => ({ name, tone, values: period.steps.map(read) });
  return (
    <div className={classes.panels}>
      <section className={classes.chart}>
        <Chart
          title={w.passChart}
          kind="lines"
          {...axis}
          series={[
            series(w.issuedShort, "one", ({ passes }) => passes.issued),
            series(w.installedShort, "two", ({ passes }) => passes.installed),
            series(w.removedShort, "three", ({ passes }) => passes.removed),
          ]}
        />
      </section>
      <section className={classes.chart}>
        <Chart
          title={w.scanChart}
          kind="bars"
          {...axis}
          series={[
            series(w.scanAccepted, "two", ({ scans }) => scans.accepted),
            series(w.scanRejected, "bad", ({ scans }) => scans.rejected),
          ]}
        />
      </section>
      <section className={classes.chart}>
        <Chart
          title={w.redemptions}
          kind="bars"
          {...axis}
          series={[series(w.redemptions, "one", ({ redemptions }) => redemptions.count)]}
        />
      </section>
      <section className={classes.chart}>
        <Chart
          title={w.deliveryChart}
          kind="bars"
          {...axis}
          series={[
            series(
              w.updatesShort,
              "one",
              ({ updates }) => updates.apple.delivered + updates.google.delivered,
            ),
            series(w.webhooksShort, "two", ({ webhooks }) => webhooks.delivered),
            series(
              w.failedShort,
              "bad",
              ({ updates, webhooks }) =>
                updates.apple.failed + updates.google.failed + webhooks.failed + webhooks.retried,
            ),
          ]}
        />
      </section>
    </div>
  );
}

/** The hours or days of a period, in full and in short. */
function useAxis({ step, steps, timeZone }: Period) {
  const language = useLanguage();
  const write = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(language, { timeZone, ...options });
    return steps.map(({ from }) => format.format(new Date(from)));
  };
  return step === "hour"
    ? {
        labels: write({ day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" }),
        shortLabels: write({ hour: "2-digit", minute: "2-digit" }),
      }
    : {
        labels: write({ weekday: "long", day: "numeric", month: "long" }),
        shortLabels: write({ day: "numeric", month: "short" }),
      };
}
