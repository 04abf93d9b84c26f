import { Alert, Anchor, Badge, Skeleton, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMissingScope } from "../../api/rights.ts";
import { useTenantId } from "../../navigation.tsx";
import { ErrorDisplay } from "../../parts/error-display.tsx";
import { ScrollRegion } from "../../parts/scroll-region.tsx";
import { words as partWords } from "../../parts/words.ts";
import { useFormat } from "../../words/format.ts";
import { useLanguage, useWords } from "../../words/language.ts";
import { getDeliveries, LIVE, listReceipts, passKey } from "./calls.ts";
import classes from "./pass.module.css";
import { words } from "./words.ts";

/** What became of each change on each device. */
export function Deliveries({ passId }: { readonly passId: string }) {
  const w = useWords(words);
  const format = useFormat();
  const tenantId = useTenantId();
  const { data, error, refetch } = useQuery({
    queryKey: [...passKey(tenantId, passId), "deliveries"],
    queryFn: () => getDeliveries(tenantId, passId),
    meta: { live: LIVE },
  });
  if (error !== null) return <ErrorDisplay error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={200} radius="lg" />;
  const { queue, deliveries } = data;
  const moment = (iso: string | null) => (iso === null ? "–" : format.moment(iso));
  return (
    <>
      <p className={classes.lead}>{w.deliveriesLead}</p>
      {queue.state !== "open" && (
        <Alert color="orange" variant="light" title={w.queueClosed} mb="sm">
          {queue.reason ?? queue.state}
        </Alert>
      )}
      {deliveries.length === 0 ? (
        <Text c="dimmed">{w.noDeliveries}</Text>
      ) : (
        <ScrollRegion label={w.deliveries}>
          <Table miw={720} verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{w.device}</Table.Th>
                <Table.Th>{w.revision}</Table.Th>
                <Table.Th>{w.state}</Table.Th>
                <Table.Th>{w.queuedAt}</Table.Th>
                <Table.Th>{w.pushedAt}</Table.Th>
                <Table.Th>{w.askedAt}</Table.Th>
                <Table.Th>{w.endedAt}</Table.Th>
                <Table.Th>{w.tries}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {deliveries.map((one) => (
                <Table.Tr key={`${one.device} ${one.revision}`}>
                  <Table.Td>
                    <code>{one.device}</code>
                  </Table.Td>
                  <Table.Td>{one.revision}</Table.Td>
                  <Table.Td>
                    <Badge variant="light" color={STATE_COLORS[one.state] ?? "gray"} tt="none">
                      {one.state}
                    </Badge>
                    {one.lastReason !== null && (
                      <Text size="xs" c="dimmed">
                        {one.lastReason}
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td>{moment(one.queuedAt)}</Table.Td>
                  <Table.Td>{moment(one.pushedAt)}</Table.Td>
                  <Table.Td>{moment(one.askedAt)}</Table.Td>
                  <Table.Td>{moment(one.endedAt)}</Table.Td>
                  <Table.Td>{one.pushes}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollRegion>
      )}
    </>
  );
}

const STATE_COLORS: Readonly<Record<string, string>> = {
  fetched: "teal",
  pushed: "indigo",
  asked: "indigo",
  failed: "red",
  gone: "orange",
};

/** Purchases that belong to the pass. */
export function Receipts({ passId }: { readonly passId: string }) {
  const w = useWords(words);
  const parts = useWords(partWords);
  const format = useFormat();
  const language = useLanguage();
  const tenantId = useTenantId();
  const missing = useMissingScope("receipt.list-of-pass");
  const { data, error, refetch } = useQuery({
    queryKey: [...passKey(tenantId, passId), "receipts"],
    queryFn: () => listReceipts(tenantId, passId),
    enabled: missing === undefined,
    meta: { live: ["receipt."] },
  });
  if (missing !== undefined) return <Text c="dimmed">{parts.lacks(missing)}</Text>;
  if (error !== null) return <ErrorDisplay error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={160} radius="lg" />;
  const money = (value: number, currency: string) =>
    new Intl.NumberFormat(language, { style: "currency", currency }).format(value);
  return (
    <>
      <p className={classes.lead}>{w.receiptsLead}</p>
      {data.items.length === 0 ? (
        <Text c="dimmed">{w.noReceipts}</Text>
      ) : (
        <ScrollRegion label={w.receipts}>
          <Table miw={420} verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{w.when}</Table.Th>
                <Table.Th>{w.receipt}</Table.Th>
                <Table.Th ta="right">{w.total}</Table.Th>
                <Table.Th aria-label={w.open} />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.items.map((receipt) => (
                <Table.Tr key={receipt.receiptId}>
                  <Table.Td>{format.moment(receipt.occurredAt)}</Table.Td>
                  <Table.Td>{receipt.reference}</Table.Td>
                  <Table.Td ta="right">{money(Number(receipt.total), receipt.currency)}</Table.Td>
                  <Table.Td ta="right">
                    <Anchor href={receipt.url} target="_blank" rel="noreferrer">
                      {w.open}
                    </Anchor>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollRegion>
      )}
    </>
  );
}
