import { Button, SegmentedControl, Skeleton, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconPlugConnected } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { PageLink, usePageSearch, useTenantId } from "../navigation.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import {
  CONNECTOR_EVENTS,
  type Connector,
  connectorsOf,
  listConnectors,
  stateOf,
} from "./connector.ts";
import classes from "./connectors.module.css";
import { page } from "./page.ts";
import { StateBadge, useAbout } from "./state-badge.tsx";
import { words } from "./words.ts";

const KINDS = [
  ["point-of-sale", "kindPointOfSale"],
  ["ticketing", "kindTicketing"],
  ["marketing", "kindMarketing"],
  ["customer-data", "kindCustomerData"],
  ["bot-check", "kindBotCheck"],
] as const;

export function useConnectors() {
  const tenantId = useTenantId();
  return useQuery({
    queryKey: [...connectorsOf(tenantId), "all"],
    queryFn: () => listConnectors(tenantId),
    meta: { live: CONNECTOR_EVENTS },
  });
}

export function Gallery() {
  const w = useWords(words);
  const [search, setSearch] = usePageSearch(page);
  const { data, error, refetch } = useConnectors();
  if (error !== null) return <ErrorDisplay error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={320} radius="lg" />;
  const show = search.show ?? "all";
  const shown = data.filter((connector) => {
    if (show === "used") return connector.configured;
    return show !== "trouble" || stateOf(connector) === "trouble";
  });
  return (
    <>
      <SegmentedControl
        data={[
          { value: "all", label: w.showAll },
          { value: "used", label: w.showUsed },
          { value: "trouble", label: w.showTrouble },
        ]}
        value={show}
        onChange={(value) => setSearch({ show: value === "all" ? undefined : value })}
        aria-label={w.show}
        mb="lg"
      />
      {shown.length === 0 && (
        <EmptyState
          icon={IconPlugConnected}
          title={show === "used" ? w.noneUsed : w.noneTrouble}
          text={show === "used" ? w.noneUsedText : w.noneTroubleText}
          action={<Button onClick={() => setSearch({ show: undefined })}>{w.showAllAction}</Button>}
        />
      )}
      {KINDS.map(([kind, title]) => {
        const some = shown.filter((connector) => connector.kind === kind);
        if (some.length === 0) return undefined;
        return (
          <section key={kind} className={classes.kind}>
            <Title order={2} mb="sm">
              {w[title]}
            </Title>
            <div className={classes.cards}>
              {some.map((connector) => (
                <ConnectorCard key={connector.name} connector={connector} />
              ))}
            </div>
          </section>
        );
      })}
    </>
  );
}

function ConnectorCard({ connector }: { connector: Connector }) {
  const about = useAbout();
  const { name, title, configured, problem } = connector;
  return (
    <article className={classes.card}>
      <div className={classes.cardHead}>
        <span className={classes.mark} aria-hidden>
          {title.slice(0, 1).toUpperCase()}
        </span>
        {/* It covers the whole card. */}
        <PageLink page={page} search={{ name }} className={classes.cardLink}>
          {title}
        </PageLink>
        <StateBadge connector={connector} />
      </div>
      <Text size="sm" c="dimmed" lineClamp={3}>
        {about(connector)}
      </Text>
      {problem !== null && (
        <Text size="sm" className={classes.problem}>
          <IconAlertTriangle size={16} stroke={1.6} aria-hidden /> {problem}
        </Text>
      )}
      {configured && <Figures connector={connector} />}
    </article>
  );
}

/** When something came last, and what is left to do. */
export function Figures({ connector }: { connector: Connector }) {
  const w = useWords(words);
  const format = useFormat();
  const { webhookUrl, lastDeliveryAt, waiting, failures } = connector;
  if (webhookUrl === null) return undefined;
  return (
    <div className={classes.figures}>
      <span>
        {lastDeliveryAt === null ? w.noDelivery : `${w.lastDelivery} ${format.ago(lastDeliveryAt)}`}
      </span>
      {waiting > 0 && <span>{w.waiting(waiting)}</span>}
      {failures > 0 && <strong>{w.failures(failures)}</strong>}
    </div>
  );
}
