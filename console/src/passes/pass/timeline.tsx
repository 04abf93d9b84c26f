import { Button, Skeleton, Text } from "@mantine/core";
import {
  IconAlertTriangle,
  IconArrowsExchange,
  IconBell,
  IconCloudDownload,
  IconDeviceMobile,
  IconHelpCircle,
  IconMessage,
  IconPencil,
  IconScan,
  IconSend,
  IconSparkles,
} from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { useTenantId } from "../../navigation.tsx";
import { CopyIcon } from "../../parts/copy.tsx";
import { ErrorDisplay } from "../../parts/error-display.tsx";
import partClasses from "../../parts/parts.module.css";
import { useFormat } from "../../words/format.ts";
import { useText, useWords } from "../../words/language.ts";
import { LIVE, listTimeline, passKey, type TimelineEntry } from "./calls.ts";
import classes from "./pass.module.css";
import { TITLES } from "./timeline-words.ts";
import { words } from "./words.ts";

/** Everything that happened to the pass, each with the request behind it. */
export function Timeline({ passId }: { readonly passId: string }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const query = useInfiniteQuery({
    queryKey: [...passKey(tenantId, passId), "timeline"],
    queryFn: ({ pageParam }) => listTimeline(tenantId, passId, pageParam),
    initialPageParam: "",
    getNextPageParam: ({ cursor }) => cursor,
    meta: { live: LIVE },
  });
  if (query.error !== null) {
    return <ErrorDisplay error={query.error} onRetry={() => void query.refetch()} />;
  }
  const entries = query.data?.pages.flatMap(({ items }) => items);
  if (entries === undefined) return <Skeleton h={320} radius="lg" />;
  return (
    <>
      <p className={classes.lead}>{w.timelineLead}</p>
      {entries.length === 0 && <Text c="dimmed">{w.noTimeline}</Text>}
      <ol className={classes.timeline} aria-label={w.timeline}>
        {entries.map((entry, at) => (
          <Entry key={entry.eventId ?? `${entry.at} ${entry.name} ${at}`} entry={entry} />
        ))}
      </ol>
      {query.hasNextPage && (
        <Button
          mt="md"
          variant="default"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {w.earlier}
        </Button>
      )}
    </>
  );
}

type Icon = ComponentType<{ size?: number; stroke?: number }>;

const ICONS: readonly (readonly [string, Icon])[] = [
  ["pass.created", IconSparkles],
  ["pass.notified", IconMessage],
  ["pass.update-delivered", IconCloudDownload],
  ["pass.update-failed", IconAlertTriangle],
  ["pass.notification-failed", IconAlertTriangle],
  ["pass.installed", IconDeviceMobile],
  ["pass.uninstalled", IconDeviceMobile],
  ["pass.", IconPencil],
  ["privilege.", IconArrowsExchange],
  ["scan.", IconScan],
  ["apple.pushed", IconSend],
  ["apple.asked", IconHelpCircle],
];

const iconOf = (name: string): Icon =>
  ICONS.find(([beginning]) => name.startsWith(beginning))?.[1] ?? IconBell;

const isBad = ({ name, details }: TimelineEntry): boolean =>
  name.endsWith("-failed") || details.decision === "rejected";

function Entry({ entry }: { readonly entry: TimelineEntry }) {
  const w = useWords(words);
  const text = useText();
  const format = useFormat();
  const { name, at, requestId } = entry;
  const EntryIcon = iconOf(name);
  const title = TITLES[name];
  const told = tell(entry, w);
  return (
    <li className={classes.entry}>
      <span className={classes.entryIcon} data-bad={isBad(entry) || undefined}>
        <EntryIcon size={17} stroke={1.6} />
      </span>
      <div>
        <Text fw={600}>{title === undefined ? name : text(title)}</Text>
        {told !== "" && <Text size="sm">{told}</Text>}
        <div className={classes.entryMore}>
          <code className={partClasses.mono}>{name}</code>
          {entry.reference !== null && (
            <code className={partClasses.mono}>{entry.reference.id}</code>
          )}
          {requestId !== null && (
            <span>
              {w.request} <code className={partClasses.mono}>{requestId}</code>
              <CopyIcon value={requestId} label={`${w.request} ${requestId}`} />
            </span>
          )}
        </div>
      </div>
      <time className={classes.entryTime} dateTime={at} title={format.moment(at)}>
        {format.ago(at)}
        <br />
        {format.moment(at)}
      </time>
    </li>
  );
}

type Told = { readonly accepted: string; readonly rejected: string; readonly revision: string };

/** One line from what the entry tells. */
function tell({ details }: TimelineEntry, w: Told): string {
  const say = (name: string) => (details[name] === undefined ? "" : String(details[name]));
  const changed = Array.isArray(details.changed) ? details.changed.join(", ") : "";
  const movement =
    details.value === undefined
      ? ""
      : `${say("privilegeId")} ${Number(details.value) > 0 ? "+" : ""}${say("value")}${
          details.valueAfter === undefined ? "" : ` → ${say("valueAfter")}`
        }`;
  const decisions: Readonly<Record<string, string>> = {
    accepted: w.accepted,
    rejected: w.rejected,
  };
  const decision = decisions[say("decision")] ?? "";
  const revision = details.revision === undefined ? "" : `${w.revision} ${say("revision")}`;
  const parts = [
    ...[decision, movement, changed, say("title"), say("content")],
    ...[say("reason"), say("location"), say("wallet"), revision],
  ];
  return parts.filter((part) => part !== "").join(" · ");
}
