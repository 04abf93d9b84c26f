import { Tabs } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useOfferActions } from "../frame/page-actions.ts";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { CurlIcon } from "../parts/copy.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import { useWords } from "../words/language.ts";
import { CatalogueView } from "./catalogue-view.tsx";
import { RecoverDialog } from "./deliveries/recover-dialog.tsx";
import { TestDialog } from "./deliveries/test-panel.tsx";
import { OneWebhook } from "./one-webhook.tsx";
import { page } from "./page.ts";
import { RotateDialog } from "./rotate-dialog.tsx";
import { useWebhook } from "./use-webhook.ts";
import { CreateDialog, EditDialog } from "./webhook-form.tsx";
import { WebhookList } from "./webhook-list.tsx";
import { words } from "./words.ts";

export function Page() {
  const w = useWords(words);
  const [search, setSearch] = usePageSearch(page);
  const create = () => setSearch({ new: "yes" }, { isStep: true });
  useOfferActions([{ id: "webhook.create", label: w.create, onClick: create }]);
  const begin = search.new === "yes" ? undefined : search.new;
  return (
    <>
      {search.id === undefined ? (
        <AllWebhooks onCreate={create} />
      ) : (
        <OneWebhook key={search.id} id={search.id} />
      )}
      <OpenedDialog />
      {search.new !== undefined && (
        <CreateDialog
          {...(begin === undefined ? {} : { begin })}
          onClose={() => setSearch({ new: undefined })}
        />
      )}
    </>
  );
}

function AllWebhooks({ onCreate }: { onCreate: () => void }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const createButton = (
    <ScopedButton
      operation="webhook.create"
      leftSection={<IconPlus size={18} />}
      onClick={onCreate}
    >
      {w.create}
    </ScopedButton>
  );
  return (
    <>
      <PageHead
        page={page}
        lead={search.view === "events" ? w.catalogueLead : w.lead}
        actions={
          <>
            <CurlIcon method="GET" path={`/api/${tenantId}/webhooks`} />
            {createButton}
          </>
        }
      />
      <Tabs
        value={search.view ?? "hooks"}
        onChange={(view) => setSearch({ view: view === "events" ? view : undefined })}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          <Tabs.Tab value="hooks">{w.tabHooks}</Tabs.Tab>
          <Tabs.Tab value="events">{w.tabEvents}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="hooks">
          <WebhookList createButton={createButton} />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <CatalogueView />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

/** The dialogs of one webhook, which the address names. */
function OpenedDialog() {
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const { edit, test, rotate, recover } = search;
  const id = edit ?? test ?? rotate ?? recover;
  const { data: webhook, error } = useWebhook(id);
  if (id === undefined) return undefined;
  if (error !== null) return <ErrorDisplay error={error} />;
  if (webhook === undefined) return undefined;
  const close = () =>
    setSearch({
      edit: undefined,
      test: undefined,
      rotate: undefined,
      recover: undefined,
      job: undefined,
    });
  const key = `${tenantId}${id}`;
  if (edit !== undefined) return <EditDialog key={key} webhook={webhook} onClose={close} />;
  if (test !== undefined) return <TestDialog key={key} webhook={webhook} onClose={close} />;
  if (rotate !== undefined) return <RotateDialog key={key} webhook={webhook} onClose={close} />;
  return <RecoverDialog key={key} webhook={webhook} onClose={close} />;
}
