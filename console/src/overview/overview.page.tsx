import { SegmentedControl, Skeleton, Text } from "@mantine/core";
import { IconFlask } from "@tabler/icons-react";
import { useState } from "react";
import { useMissingScope } from "../api/rights.ts";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { useWords } from "../words/language.ts";
import { Charts } from "./charts.tsx";
import { FirstPass } from "./first-pass/first-pass.tsx";
import { LatestPasses, LatestScans } from "./latest.tsx";
import { NumberGrid } from "./number-grid.tsx";
import { PERIODS, type PeriodDays, useIsTesting, useNumbers, usePassCounts } from "./numbers.ts";
import classes from "./overview.module.css";
import { page } from "./page.ts";
import { words } from "./words.ts";

const DAYS_USUAL = 30;

export function Page() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const days = readDays(search.days);
  const mayRead = useMissingScope("pass.list") === undefined;
  const passes = usePassCounts(tenantId, mayRead);
  const numbers = useNumbers(tenantId, days, mayRead);
  // Whoever is being led stays there until they have seen the end.
  const [ledTenant, setLedTenant] = useState<string>();
  const isNew = passes.data?.all.total === 0;
  if (isNew && ledTenant !== tenantId) setLedTenant(tenantId);
  if (ledTenant === tenantId)
    return <FirstPass key={tenantId} onEnd={() => setLedTenant(undefined)} />;
  const choices = [
    { value: "1", label: w.today },
    { value: "7", label: w.week },
    { value: "30", label: w.month },
    { value: "90", label: w.quarter },
  ];
  return (
    <>
      <PageHead
        page={page}
        lead={w.lead}
        actions={
          <SegmentedControl
            data={choices}
            value={String(days)}
            onChange={(value) => setSearch({ days: value }, { isStep: true })}
            aria-label={w.period}
          />
        }
      />
      {numbers.error !== null && (
        <ErrorDisplay error={numbers.error} onRetry={() => void numbers.refetch()} />
      )}
      {passes.isLoading ? (
        <Skeleton h={320} radius="lg" />
      ) : (
        <NumberGrid tenantId={tenantId} period={numbers.data} passes={passes.data} />
      )}
      {numbers.data?.isBehind === true && (
        <Text size="sm" c="dimmed" mt="sm">
          {w.behind}
        </Text>
      )}
      <TestingNote tenantId={tenantId} />
      {numbers.data !== undefined && !passes.isLoading && <Charts period={numbers.data} />}
      <div className={classes.panels}>
        <LatestPasses tenantId={tenantId} />
        <LatestScans tenantId={tenantId} />
      </div>
    </>
  );
}

function TestingNote({ tenantId }: { tenantId: string }) {
  const w = useWords(words);
  const isTesting = useIsTesting(tenantId, useMissingScope("wallet.get") === undefined);
  if (!isTesting) return undefined;
  return (
    <Text size="sm" c="dimmed" mt="sm" className={classes.note}>
      <IconFlask size={16} stroke={1.6} aria-hidden /> {w.testing}
    </Text>
  );
}

function readDays(text: string | undefined): PeriodDays {
  return PERIODS.find((days) => String(days) === text) ?? DAYS_USUAL;
}
