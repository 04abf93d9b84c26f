import { Anchor, Skeleton, Tabs } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { PageLink, usePageSearch, useTenantId } from "../../navigation.tsx";
import { CodeBlock, CopyIcon } from "../../parts/copy.tsx";
import { ErrorDisplay } from "../../parts/error-display.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import partClasses from "../../parts/parts.module.css";
import { useWords } from "../../words/language.ts";
import { page as listPage } from "../page.ts";
import { nameOf, type Pass } from "../pass.ts";
import { StatusMark, WalletMarks } from "../status.tsx";
import { PassActions } from "./actions.tsx";
import { getPass, LIVE, passKey } from "./calls.ts";
import { PassDialogs } from "./dialogs.tsx";
import { Overview } from "./fields.tsx";
import { page } from "./page.ts";
import classes from "./pass.module.css";
import { Privileges } from "./privileges.tsx";
import { Deliveries, Receipts } from "./records.tsx";
import { Timeline } from "./timeline.tsx";
import { words } from "./words.ts";

export function Page() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [search] = usePageSearch(page);
  const passId = search.passId ?? "";
  const {
    data: pass,
    error,
    refetch,
  } = useQuery({
    queryKey: [...passKey(tenantId, passId), "pass"],
    queryFn: () => getPass(tenantId, passId),
    meta: { live: LIVE },
  });
  return (
    <>
      <Anchor
        size="sm"
        mb="xs"
        display="inline-block"
        renderRoot={(props) => <PageLink page={listPage} {...props} />}
      >
        <IconArrowLeft size={14} aria-hidden /> {w.all}
      </Anchor>
      <PageHead
        page={page}
        title={pass === undefined ? passId : nameOf(pass)}
        actions={pass !== undefined && <PassActions pass={pass} />}
      />
      {error !== null && <ErrorDisplay error={error} onRetry={() => void refetch()} />}
      {pass === undefined && error === null && <Skeleton h={420} radius="lg" />}
      {pass !== undefined && (
        <>
          <div className={classes.strip}>
            <StatusMark status={pass.status} />
            <WalletMarks providers={pass.providers} />
            <span>
              <code className={partClasses.mono}>{pass.id}</code>
              <CopyIcon value={pass.id} label={w.passId} />
            </span>
          </div>
          <PassTabs key={pass.id} pass={pass} />
          <PassDialogs pass={pass} />
        </>
      )}
    </>
  );
}

const TABS = ["overview", "timeline", "privileges", "deliveries", "receipts", "json"] as const;

function PassTabs({ pass }: { readonly pass: Pass }) {
  const w = useWords(words);
  const [search, setSearch] = usePageSearch(page);
  const tab = TABS.find((one) => one === search.tab) ?? "overview";
  const choose = (value: string | null) =>
    setSearch({ tab: value === "overview" ? undefined : (value ?? undefined) }, { isStep: true });
  const contents = {
    overview: () => <Overview pass={pass} />,
    timeline: () => <Timeline passId={pass.id} />,
    privileges: () => <Privileges passId={pass.id} />,
    deliveries: () => <Deliveries passId={pass.id} />,
    receipts: () => <Receipts passId={pass.id} />,
    json: () => <Json pass={pass} />,
  };
  return (
    <Tabs value={tab} onChange={choose} keepMounted={false}>
      <Tabs.List mb="lg" aria-label={w.parts}>
        {TABS.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {w[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={tab}>{contents[tab]()}</Tabs.Panel>
    </Tabs>
  );
}

/** As the API says it, without what opens the pass to whoever reads over the shoulder. */
function Json({ pass }: { readonly pass: Pass }) {
  const w = useWords(words);
  const { secret: _secret, links: _links, ...shown } = pass;
  return <CodeBlock code={JSON.stringify(shown, null, 2)} label={w.json} />;
}
