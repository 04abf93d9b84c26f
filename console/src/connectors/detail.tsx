import { Alert, Anchor, Badge, Button, Skeleton, Tabs } from "@mantine/core";
import { IconAlertTriangle, IconChevronLeft, IconTrash } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useOfferActions } from "../frame/page-actions.ts";
import { PageLink, usePageSearch, useTenantId } from "../navigation.tsx";
import { confirm } from "../parts/confirm.tsx";
import { CurlIcon } from "../parts/copy.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import { toast } from "../parts/toast.tsx";
import { useWords } from "../words/language.ts";
import {
  CONNECTOR_EVENTS,
  type Connector,
  connectorsOf,
  listRefused,
  operationOf,
  removeConnector,
} from "./connector.ts";
import classes from "./connectors.module.css";
import { Figures, useConnectors } from "./gallery.tsx";
import { Inbox } from "./inbox.tsx";
import { page } from "./page.ts";
import { RefusedEvents } from "./refused-events.tsx";
import { SettingsTab } from "./settings-tab.tsx";
import { StateBadge, useAbout } from "./state-badge.tsx";
import { VendorSide } from "./vendor-side.tsx";
import { words } from "./words.ts";

export function ConnectorDetail({ name }: { name: string }) {
  const w = useWords(words);
  const [, setSearch] = usePageSearch(page);
  const { data, error, refetch } = useConnectors();
  if (error !== null) return <ErrorDisplay error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={320} radius="lg" />;
  const connector = data.find((one) => one.name === name);
  if (connector !== undefined) return <Opened connector={connector} />;
  return (
    <EmptyState
      title={w.unknown}
      text={w.unknownText}
      action={<Button onClick={() => setSearch({ name: undefined })}>{w.toGallery}</Button>}
    />
  );
}

function Opened({ connector }: { connector: Connector }) {
  const w = useWords(words);
  const about = useAbout();
  const tenantId = useTenantId();
  const { name, title, configured, problem } = connector;
  return (
    <>
      <Anchor component={BackLink} size="sm">
        <IconChevronLeft size={14} aria-hidden /> {w.toGallery}
      </Anchor>
      <PageHead
        page={page}
        title={title}
        lead={about(connector)}
        actions={
          <>
            <StateBadge connector={connector} />
            <CurlIcon method="GET" path={`/api/${tenantId}/admin/extensions/${name}`} />
            {configured && <RemoveButton connector={connector} />}
          </>
        }
      />
      {problem !== null && (
        <Alert color="orange" icon={<IconAlertTriangle size={20} stroke={1.6} />} mb="lg">
          {problem}
        </Alert>
      )}
      {configured && <Figures connector={connector} />}
      <Parts connector={connector} />
    </>
  );
}

function BackLink({ className, children }: { className?: string; children?: React.ReactNode }) {
  return (
    <PageLink page={page} className={`${className} ${classes.backLink}`}>
      {children}
    </PageLink>
  );
}

/** Vendors that are told events have a list of those they refused; the API knows which ones do. */
function useRefusedCount({ name, configured }: Connector) {
  const tenantId = useTenantId();
  const { data } = useQuery({
    queryKey: [...connectorsOf(tenantId), name, "refused-count"],
    queryFn: () => listRefused(tenantId, name, { pageSize: 1 }),
    enabled: configured,
    retry: false,
    meta: { live: CONNECTOR_EVENTS },
  });
  return data;
}

function Parts({ connector }: { connector: Connector }) {
  const w = useWords(words);
  const [search, setSearch] = usePageSearch(page);
  const refused = useRefusedCount(connector);
  const { configured, webhookUrl, failures } = connector;
  const hasInbox = configured && webhookUrl !== null;
  const go = (tab: string | null) =>
    setSearch(
      {
        tab: tab ?? undefined,
        q: undefined,
        sort: undefined,
        status: undefined,
        subject: undefined,
      },
      { isStep: true },
    );
  useOfferActions([
    { id: "connector.vendor", label: w.tabVendor, onClick: () => go("vendor") },
    ...(hasInbox ? [{ id: "connector.inbox", label: w.tabInbox, onClick: () => go("inbox") }] : []),
  ]);
  return (
    <Tabs value={search.tab ?? "settings"} onChange={go} keepMounted={false} mt="md">
      <Tabs.List mb="lg">
        <Tabs.Tab value="settings">{w.tabSettings}</Tabs.Tab>
        <Tabs.Tab value="vendor">{w.tabVendor}</Tabs.Tab>
        {hasInbox && (
          <Tabs.Tab value="inbox" rightSection={failures > 0 && <Count value={failures} />}>
            {w.tabInbox}
          </Tabs.Tab>
        )}
        {refused !== undefined && (
          <Tabs.Tab
            value="refused"
            rightSection={
              refused.total > 0 && <Count value={refused.total} isMore={refused.isEstimate} />
            }
          >
            {w.tabRefused}
          </Tabs.Tab>
        )}
      </Tabs.List>
      <Tabs.Panel value="settings">
        <SettingsTab connector={connector} />
      </Tabs.Panel>
      <Tabs.Panel value="vendor">
        <VendorSide connector={connector} />
      </Tabs.Panel>
      {hasInbox && (
        <Tabs.Panel value="inbox">
          <Inbox connector={connector} />
        </Tabs.Panel>
      )}
      {refused !== undefined && (
        <Tabs.Panel value="refused">
          <RefusedEvents connector={connector} />
        </Tabs.Panel>
      )}
    </Tabs>
  );
}

/** With `isMore` there are at least so many. */
const Count = ({ value, isMore = false }: { value: number; isMore?: boolean }) => (
  <Badge color="red" variant="light" size="sm">
    {isMore ? `${value - 1}+` : value}
  </Badge>
);

function RemoveButton({ connector: { name, title } }: { connector: Connector }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const [, setSearch] = usePageSearch(page);
  const ask = () =>
    confirm({
      title: w.removeTitle(title),
      text: w.removeText,
      verb: w.remove,
      isHarmful: true,
      typed: name,
      act: async () => {
        await removeConnector(tenantId, name);
        setSearch({ name: undefined, tab: undefined });
        toast({ message: w.removed(title) });
        await queries.invalidateQueries({ queryKey: connectorsOf(tenantId) });
      },
    });
  return (
    <ScopedButton
      operation={operationOf(name, "delete")}
      variant="default"
      leftSection={<IconTrash size={16} stroke={1.6} />}
      onClick={ask}
    >
      {w.remove}
    </ScopedButton>
  );
}
