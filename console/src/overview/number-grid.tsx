import { Skeleton, Text } from "@mantine/core";
import { IconArrowDownRight, IconArrowUpRight } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useMissingScope } from "../api/rights.ts";
import { PageLink } from "../navigation.tsx";
import type { Search } from "../page.ts";
import { pageById } from "../pages.ts";
import type { ChartSeries } from "../parts/chart/series.ts";
import { Sparkline } from "../parts/chart/sparkline.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { type Numbers, type Period, type usePassCounts, useWebhookHealth } from "./numbers.ts";
import classes from "./overview.module.css";
import { words } from "./words.ts";

type Props = {
  readonly tenantId: string;
  readonly period: Period | undefined;
  readonly passes: ReturnType<typeof usePassCounts>["data"];
};

/** How a number is read from what happened in some time. */
type Read = (numbers: Numbers) => number;

export function NumberGrid({ tenantId, period, passes }: Props) {
  const w = useWords(words);
  const format = useFormat();
  const days = daysOf(period);
  const inList = (count: { total: number; isEstimate: boolean } | undefined) =>
    count === undefined ? "…" : `${count.isEstimate ? "≈ " : ""}${format.number(count.total)}`;
  const scans = period?.total.scans;
  const all = (scans?.accepted ?? 0) + (scans?.rejected ?? 0);
  const rejectedShare = all === 0 ? 0 : (scans?.rejected ?? 0) / all;
  return (
    <section className={classes.numbers} aria-label={w.lead}>
      <NumberCard
        label={w.issued}
        period={period}
        read={({ passes: { issued } }) => issued}
        hint={w.issuedHint(inList(passes?.all))}
        list="passes"
        search={{ days }}
        hintList="passes"
      />
      <NumberCard
        label={w.installed}
        period={period}
        read={({ passes: { installed } }) => installed}
        hint={w.installedHint(inList(passes?.installed))}
        list="events"
        search={{ event: "pass.installed", days }}
        hintList="passes"
        hintSearch={{ installed: "installed" }}
        tone="two"
      />
      <NumberCard
        label={w.removed}
        period={period}
        read={({ passes: { removed } }) => removed}
        hint={w.removedHint(inList(passes?.removed))}
        list="events"
        search={{ event: "pass.uninstalled", days }}
        hintList="passes"
        hintSearch={{ installed: "uninstalled" }}
        tone="three"
        isBetterLess
      />
      <UpdateNumber period={period} />
      <NumberCard
        label={w.accepted}
        period={period}
        read={(numbers) => numbers.scans.accepted}
        hint={w.allScans(format.number(all))}
        list="scans"
        search={{ days, decision: "accepted" }}
        hintList="scans"
        hintSearch={{ days }}
        tone="two"
      />
      <NumberCard
        label={w.rejected}
        period={period}
        read={(numbers) => numbers.scans.rejected}
        hint={w.rejectedHint(format.percent(rejectedShare))}
        list="scans"
        search={{ days, decision: "rejected" }}
        tone="bad"
        isBetterLess
      />
      <RedemptionNumber period={period} />
      <WebhookNumber tenantId={tenantId} period={period} />
    </section>
  );
}

/** As it stands in the addresses of lists. */
const daysOf = (period: Period | undefined): string | undefined => period?.days.toString();

type PartProps = { readonly period: Period | undefined };

function UpdateNumber({ period }: PartProps) {
  const w = useWords(words);
  const format = useFormat();
  const { apple, google } = period?.total.updates ?? {};
  const failed = (apple?.failed ?? 0) + (google?.failed ?? 0);
  const days = daysOf(period);
  return (
    <NumberCard
      label={w.updates}
      period={period}
      read={({ updates }) => updates.apple.delivered + updates.google.delivered}
      hint={
        failed > 0
          ? w.updatesFailed(format.number(failed))
          : w.updatesHint(
              format.number(apple?.delivered ?? 0),
              format.number(google?.delivered ?? 0),
            )
      }
      list="events"
      search={{ event: "pass.update-delivered", days }}
      {...(failed > 0 && { hintList: "events", hintSearch: { event: "pass.update-failed", days } })}
    />
  );
}

function RedemptionNumber({ period }: PartProps) {
  const w = useWords(words);
  const format = useFormat();
  const values = period?.total.redemptions.values ?? [];
  const told = values.map(({ unit, value }) =>
    unit === null ? w.redeemedValue(format.number(value)) : `${format.number(value)} ${unit}`,
  );
  return (
    <NumberCard
      label={w.redemptions}
      period={period}
      read={({ redemptions }) => redemptions.count}
      hint={told.length === 0 ? w.noRedemptions : told.join(" · ")}
      list="movements"
      search={{ type: "redemption", days: daysOf(period) }}
    />
  );
}

/**
 * The number has the attempts that succeeded in the period, the list the deliveries that began in it. They
 * differ by what was tried for longer or sent once more, by deleted webhooks, and by what is older than
 * deliveries are kept.
 */
function WebhookNumber({ tenantId, period }: PartProps & { readonly tenantId: string }) {
  const w = useWords(words);
  const format = useFormat();
  const missing = useMissingScope("webhook.list");
  const { data: health } = useWebhookHealth(tenantId, missing === undefined);
  const { delivered = 0, failed = 0, retried = 0 } = period?.total.webhooks ?? {};
  const attempts = delivered + failed + retried;
  const failing = health?.failing ?? 0;
  const hint = () => {
    if (failing > 0) return w.webhooksFailing(format.number(failing));
    if (health?.on === 0) return w.noWebhooks;
    return attempts === 0 ? w.webhooksHint : w.webhookShare(format.percent(delivered / attempts));
  };
  return (
    <NumberCard
      label={w.webhooks}
      period={period}
      read={({ webhooks }) => webhooks.delivered}
      hint={hint()}
      list="deliveries"
      search={{ state: "delivered", days: daysOf(period) }}
      {...((failing > 0 || health?.on === 0) && { hintList: "webhooks" })}
      isBad={failing > 0}
      tone={failing > 0 ? "bad" : "one"}
    />
  );
}

type CardProps = {
  readonly label: string;
  readonly period: Period | undefined;
  readonly read: Read;
  readonly hint: string;
  /** The page with the list that the number counts. It is a link once that page exists. */
  readonly list: string;
  readonly search?: Search;
  /** The page with the list that the number in the hint counts, if it is another one. */
  readonly hintList?: string;
  readonly hintSearch?: Search;
  readonly tone?: ChartSeries["tone"];
  readonly isBetterLess?: boolean;
  readonly isBad?: boolean;
};

/** The whole card opens the list of its number, and the hint, which lies above, that of its own. */
function NumberCard(props: CardProps) {
  const { label, period, read, hint, list, search, tone = "one", isBad } = props;
  const w = useWords(words);
  const format = useFormat();
  const missing = useMissingScope("numbers.get");
  return (
    <div className={classes.number}>
      <ListLink list={list} search={search} className={classes.opens}>
        <div className={classes.label}>{label}</div>
        <div className={classes.valueRow}>
          <span className={classes.value}>
            {missing !== undefined ? "—" : undefined}
            {missing === undefined && period === undefined && <Skeleton h={38} w={72} />}
            {period !== undefined && format.number(read(period.total))}
          </span>
          {period !== undefined && (
            <Change now={read(period.total)} before={read(period.previous)} {...props} />
          )}
        </div>
      </ListLink>
      <Text size="sm" c={isBad ? "var(--mantine-color-error)" : "dimmed"}>
        {missing === undefined ? (
          <ListLink list={props.hintList} search={props.hintSearch} className={classes.hint}>
            {hint}
          </ListLink>
        ) : (
          w.lacks(missing)
        )}
      </Text>
      {period !== undefined && (
        <div className={classes.spark}>
          <Sparkline values={period.steps.map(read)} tone={tone} />
        </div>
      )}
    </div>
  );
}

type ListLinkProps = {
  readonly list: string | undefined;
  readonly search?: Search | undefined;
  readonly className: string | undefined;
  readonly children: ReactNode;
};

/** Plain content where there is no such list, or for whoever may not see it. */
function ListLink({ list, search = {}, className = "", children }: ListLinkProps) {
  const target = list === undefined ? undefined : pageById(list);
  const missing = useMissingScope(target?.needs);
  if (target === undefined || missing !== undefined) return children;
  return (
    <PageLink page={target} search={search} className={className}>
      {children}
    </PageLink>
  );
}

type ChangeProps = Pick<CardProps, "isBetterLess" | "period"> & {
  readonly now: number;
  readonly before: number;
};

/** Against as many days before. Without anything before, there is nothing to compare. */
function Change({ now, before, period, isBetterLess = false }: ChangeProps) {
  const w = useWords(words);
  const format = useFormat();
  if (before === 0 || now === before) return undefined;
  const isMore = now > before;
  const share = format.percent(Math.abs(now - before) / before);
  const Icon = isMore ? IconArrowUpRight : IconArrowDownRight;
  const told = (isMore ? w.moreThan : w.lessThan)(share, String(period?.days ?? ""));
  return (
    <span className={classes.change} data-good={isMore !== isBetterLess || undefined} title={told}>
      <Icon size={15} stroke={2} aria-hidden />
      <span aria-hidden>{share}</span>
      <span className={classes.aloud}>{told}</span>
    </span>
  );
}
