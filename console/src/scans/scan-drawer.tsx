import { Alert, Button, Group, Text } from "@mantine/core";
import { IconArrowsSplit, IconFilter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { PageLink, usePageSearch, useTenantId } from "../navigation.tsx";
import type { Search } from "../page.ts";
import { pageById } from "../pages.ts";
import { CopyIcon, CurlIcon } from "../parts/copy.tsx";
import { DetailDrawer } from "../parts/detail-drawer.tsx";
import { type Fact, Facts, Section } from "../parts/facts.tsx";
import links from "../parts/link.module.css";
import { PassLink } from "../parts/pass-link.tsx";
import { words as partWords } from "../parts/words.ts";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { page } from "./page.ts";
import { useKind } from "./reasons.ts";
import { getScan, type Scan, scansOf, useDevices, useOrigin } from "./scan.ts";
import classes from "./scans.module.css";
import { Movement, Privileges, Verdict } from "./verdict.tsx";
import { words } from "./words.ts";

export function ScanDrawer({ scanId, onClose }: { scanId: string; onClose: () => void }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const { data: scan, error } = useQuery({
    queryKey: [...scansOf(tenantId), "one", scanId],
    queryFn: () => getScan(tenantId, scanId),
  });
  return (
    <DetailDrawer title={w.details} isLoading={scan === undefined} error={error} onClose={onClose}>
      {scan !== undefined && <Content scan={scan} />}
    </DetailDrawer>
  );
}

function Content({ scan }: { scan: Scan }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [, setSearch] = usePageSearch(page);
  const { scanId, passId, pass } = scan;
  return (
    <>
      <Verdict scan={scan} />
      {scan.conflict && (
        <Alert color="yellow" title={w.conflict} icon={<IconArrowsSplit size={20} stroke={1.6} />}>
          {w.conflictText(scan.offlineDecision === "accepted" ? w.accepted : w.rejected)}
        </Alert>
      )}
      <ScanFacts scan={scan} />
      {pass !== null && (
        <>
          <Section title={w.movement}>
            <Movement scan={scan} />
          </Section>
          <Section title={w.privileges}>
            <Privileges scan={scan} />
          </Section>
        </>
      )}
      <Group gap="xs">
        <CurlIcon method="GET" path={`/api/${tenantId}/scans/${scanId}`} />
        {passId !== null && (
          <Button
            variant="default"
            leftSection={<IconFilter size={16} stroke={1.6} />}
            onClick={() => setSearch({ scan: undefined, pass: passId }, { isStep: true })}
          >
            {w.openPass}
          </Button>
        )}
      </Group>
    </>
  );
}

function ScanFacts({ scan }: { scan: Scan }) {
  const w = useWords(words);
  const format = useFormat();
  const kindOf = useKind();
  const { passId, pass, data } = scan;
  const identifiers = Object.entries(pass?.identifiers ?? {});
  const facts: Fact[] = [
    [w.when, format.moment(scan.scannedAt)],
    [w.pass, passId === null ? undefined : <PassLink key="pass" passId={passId} />],
    [w.passType, pass?.passType],
    [
      w.identifiers,
      identifiers.length === 0
        ? undefined
        : identifiers.map(([name, value]) => (
            <div key={name}>
              {name} {value}
            </div>
          )),
    ],
    [w.device, scan.deviceId === null ? undefined : <DeviceLink key="d" id={scan.deviceId} />],
    [w.location, scan.location],
    [w.reference, scan.reference],
    [w.how, kindOf(scan.type)],
    [w.code, data === null ? w.codeErased : <Copied key="code" text={data} />],
    [w.recorded, format.moment(scan.recordedAt)],
    [w.scanId, <Copied key="id" text={scan.scanId} />],
  ];
  return <Facts facts={[...facts, ...useOriginFacts(scan.scanId)]} />;
}

/** By these words the log of the service finds the request. */
function useOriginFacts(scanId: string): Fact[] {
  const w = useWords(words);
  const parts = useWords(partWords);
  const { missing, entry } = useOrigin(useTenantId(), scanId);
  if (missing !== undefined) {
    const why = (
      <Text size="sm" c="dimmed" component="span">
        {parts.lacks(missing)}
      </Text>
    );
    return [[w.request, why]];
  }
  if (entry === undefined) return [];
  return [
    [w.request, <Copied key="request" text={entry.requestId} />],
    [w.by, entry.actor.id],
  ];
}

function Copied({ text }: { text: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <code className={classes.mono}>{text}</code>
      <CopyIcon value={text} />
    </Group>
  );
}

/** The name of a device, which leads to it. */
export function DeviceLink({ id }: { id: string }) {
  const target = pageById("devices");
  const name = useDevices(useTenantId()).get(id)?.name ?? id;
  if (target === undefined) return <span>{name}</span>;
  return (
    <PageLink page={target} search={{ device: id } as Search} className={links.link}>
      {name}
    </PageLink>
  );
}
