import { Badge, Skeleton, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useMissingScope } from "../api/rights.ts";
import { PageLink } from "../navigation.tsx";
import type { Search } from "../page.ts";
import { pageById } from "../pages.ts";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { type Pass, type Scan, useLatestPasses, useLatestScans } from "./numbers.ts";
import classes from "./overview.module.css";
import { words } from "./words.ts";

export function LatestPasses({ tenantId }: { tenantId: string }) {
  const w = useWords(words);
  const missing = useMissingScope("pass.list");
  const { data } = useLatestPasses(tenantId, missing === undefined);
  return (
    <Panel title={w.latestPasses} missing={missing} isLoading={data === undefined}>
      {data?.map((pass) => (
        <PassLine key={pass.id} pass={pass} />
      ))}
    </Panel>
  );
}

/** A word that a person knows a pass by: their name, or the first identifier. */
function nameOf({ identifiers, additionalData, id }: Pass): string {
  const data = (additionalData ?? {}) as Record<string, unknown>;
  const isText = (part: unknown) => typeof part === "string";
  const name = [data.firstName, data.lastName].filter(isText).join(" ");
  return (
    name ||
    String([data.name, data.holder].find(isText) ?? "") ||
    String(Object.values(identifiers ?? {})[0] ?? id)
  );
}

function PassLine({ pass }: { pass: Pass }) {
  const w = useWords(words);
  const labels = {
    active: w.statusActive,
    disabled: w.statusDisabled,
    expired: w.statusExpired,
  } as Readonly<Record<string, string>>;
  const isActive = pass.status === "active";
  return (
    <Line
      name={nameOf(pass)}
      detail={pass.passType}
      at={pass.creationDate}
      list="passes"
      search={{ pass: pass.id }}
      mark={
        <Badge color={isActive ? "teal" : "gray"} variant="light" tt="none">
          {labels[pass.status] ?? pass.status}
        </Badge>
      }
    />
  );
}

export function LatestScans({ tenantId }: { tenantId: string }) {
  const w = useWords(words);
  const missing = useMissingScope("scan.list");
  const { data } = useLatestScans(tenantId, missing === undefined);
  return (
    <Panel title={w.latestScans} missing={missing} isLoading={data === undefined}>
      {data?.length === 0 && (
        <li className={classes.line}>
          <div>
            <Text fw={500}>{w.noScans}</Text>
            <Text size="sm" c="dimmed">
              {w.noScansText}
            </Text>
          </div>
        </li>
      )}
      {data?.map((scan) => (
        <ScanLine key={scan.scanId} scan={scan} />
      ))}
    </Panel>
  );
}

function ScanLine({ scan }: { scan: Scan }) {
  const w = useWords(words);
  const isAccepted = scan.decision === "accepted";
  const known = scan.pass?.displayName ?? Object.values(scan.pass?.identifiers ?? {})[0];
  const name = known ?? scan.pass?.id ?? w.unknownCode;
  return (
    <Line
      name={name}
      detail={scan.pass?.passType ?? scan.type}
      at={scan.scannedAt}
      list="scans"
      search={{ scan: scan.scanId }}
      mark={
        <Badge color={isAccepted ? "teal" : "red"} variant="light" tt="none">
          {isAccepted ? w.scanAccepted : w.scanRejected}
        </Badge>
      }
    />
  );
}

type LineProps = {
  readonly name: string;
  readonly detail: string;
  readonly at: string;
  readonly mark: ReactNode;
  /** The page that shows more of it. It is a link once that page exists. */
  readonly list: string;
  readonly search: Search;
};

function Line({ name, detail, at, mark, list, search }: LineProps) {
  const format = useFormat();
  const target = pageById(list);
  const content = (
    <>
      <div style={{ flex: 1, minWidth: 0 }}>
        <Text fw={500} truncate>
          {name}
        </Text>
        <Text size="sm" c="dimmed" truncate>
          {detail}
        </Text>
      </div>
      {mark}
      <Text size="sm" c="dimmed" miw={104} ta="right" title={format.moment(at)}>
        {format.ago(at)}
      </Text>
    </>
  );
  return (
    <li>
      {target === undefined ? (
        <div className={classes.line}>{content}</div>
      ) : (
        <PageLink page={target} search={search} className={classes.line}>
          {content}
        </PageLink>
      )}
    </li>
  );
}

type PanelProps = {
  readonly title: string;
  readonly missing: string | undefined;
  readonly isLoading: boolean;
  readonly children: ReactNode;
};

function Panel({ title, missing, isLoading, children }: PanelProps) {
  const w = useWords(words);
  return (
    <section className={classes.panel}>
      <Title order={2}>{title}</Title>
      {missing !== undefined && (
        <Text c="dimmed" px="lg" pb="lg">
          {w.lacks(missing)}
        </Text>
      )}
      {missing === undefined && isLoading && <Skeleton h={180} m="lg" w="auto" />}
      <ul className={classes.lines}>{children}</ul>
    </section>
  );
}
