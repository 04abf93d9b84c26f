import { Button, Group, Text } from "@mantine/core";
import { IconExternalLink, IconReceiptRefund, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { PageLink, usePageSearch, useTenantId } from "../navigation.tsx";
import type { Search } from "../page.ts";
import { pageById } from "../pages.ts";
import { confirm } from "../parts/confirm.tsx";
import { CopyIcon } from "../parts/copy.tsx";
import { DetailDrawer } from "../parts/detail-drawer.tsx";
import { Facts, Section } from "../parts/facts.tsx";
import links from "../parts/link.module.css";
import { PassLink } from "../parts/pass-link.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import { toast } from "../parts/toast.tsx";
import { useFormat } from "../words/format.ts";
import { useLanguage, useWords } from "../words/language.ts";
import { page } from "./page.ts";
import { eraseReceipt, moneyIn, type Receipt, receiptsOf } from "./receipt.ts";
import classes from "./receipts.module.css";
import { words } from "./words.ts";

type Props = {
  readonly receipt: Receipt | undefined;
  readonly error: unknown;
  readonly onClose: () => void;
};

export function ReceiptDrawer({ receipt, error, onClose }: Props) {
  const w = useWords(words);
  return (
    <DetailDrawer
      title={receipt?.reference ?? w.details}
      isLoading={receipt === undefined}
      error={error}
      onClose={onClose}
    >
      {receipt !== undefined && (
        <>
          <Actions receipt={receipt} />
          <Section title={w.lines}>
            <Lines receipt={receipt} />
          </Section>
          <Section title={w.refunds}>
            <Refunds receipt={receipt} />
          </Section>
          <Section title={w.details}>
            <ReceiptFacts receipt={receipt} />
          </Section>
        </>
      )}
    </DetailDrawer>
  );
}

function Actions({ receipt: { receiptId, reference, url } }: { receipt: Receipt }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const [, setSearch] = usePageSearch(page);
  const erase = () =>
    confirm({
      title: w.eraseTitle(reference),
      text: w.eraseText,
      verb: w.erase,
      isHarmful: true,
      act: async () => {
        await eraseReceipt(tenantId, receiptId);
        setSearch({ receipt: undefined });
        await queries.invalidateQueries({ queryKey: receiptsOf(tenantId) });
        toast({ message: w.erased(reference) });
      },
    });
  return (
    <Group gap="xs">
      <Button
        component="a"
        href={url}
        target="_blank"
        rel="noreferrer"
        variant="default"
        leftSection={<IconExternalLink size={16} stroke={1.6} />}
      >
        {w.openPage}
      </Button>
      <ScopedButton
        operation="receipt.refund"
        variant="default"
        leftSection={<IconReceiptRefund size={16} stroke={1.6} />}
        onClick={() => setSearch({ refund: receiptId }, { isStep: true })}
      >
        {w.refund}
      </ScopedButton>
      <ScopedButton
        operation="receipt.delete"
        variant="light"
        color="red"
        leftSection={<IconTrash size={16} stroke={1.6} />}
        onClick={erase}
      >
        {w.erase}
      </ScopedButton>
    </Group>
  );
}

/** As it was sent: nothing is added up. */
function Lines({ receipt }: { receipt: Receipt }) {
  const w = useWords(words);
  const format = useFormat();
  const language = useLanguage();
  const { lines, subtotal, taxes, total, currency } = receipt;
  const money = (amount: number) => moneyIn(language, amount, currency);
  return (
    <table className={classes.lines} aria-label={w.lines}>
      <tbody>
        {lines.map(({ description, quantity, total: price }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name and keep their place.
          <tr key={at}>
            <td>
              {quantity === 1 ? "" : `${format.number(quantity)} × `}
              {description}
            </td>
            <td>{money(price)}</td>
          </tr>
        ))}
        {subtotal !== null && (
          <tr>
            <td>{w.subtotal}</td>
            <td>{money(subtotal)}</td>
          </tr>
        )}
        {taxes.map(({ name, rate, amount }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: as the lines.
          <tr key={at}>
            <td>
              {name ?? w.taxes} {rate === null ? "" : format.percent(rate / 100)}
            </td>
            <td>{money(amount)}</td>
          </tr>
        ))}
        <tr data-total>
          <td>{w.total}</td>
          <td>{money(total)}</td>
        </tr>
      </tbody>
    </table>
  );
}

function Refunds({ receipt: { refunds, currency } }: { receipt: Receipt }) {
  const w = useWords(words);
  const format = useFormat();
  const language = useLanguage();
  if (refunds.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {w.noRefunds}
      </Text>
    );
  }
  return (
    <Facts
      facts={refunds.map(({ reference, amount, occurredAt, reason }) => [
        reference,
        <span key={reference}>
          {moneyIn(language, amount, currency)}
          <span className={classes.quiet}>
            {format.moment(occurredAt)} {reason}
          </span>
        </span>,
      ])}
    />
  );
}

function ReceiptFacts({ receipt }: { receipt: Receipt }) {
  const w = useWords(words);
  const format = useFormat();
  const { passId, customerId, store, receiptId, pointsEarned } = receipt;
  return (
    <Facts
      facts={[
        [w.when, format.moment(receipt.occurredAt)],
        [w.source, receipt.source],
        [w.store, store === null ? undefined : (store.name ?? store.id)],
        [w.paidBy, receipt.paidBy],
        [w.points, pointsEarned === null ? undefined : format.number(pointsEarned)],
        [w.note, receipt.note],
        [w.pass, passId === null ? undefined : <PassLink key="pass" passId={passId} />],
        [w.customer, customerId === null ? undefined : <CustomerLink key="c" id={customerId} />],
        [
          w.receiptId,
          <Group key="id" gap={4}>
            <code className={classes.mono}>{receiptId}</code>
            <CopyIcon value={receiptId} />
          </Group>,
        ],
      ]}
    />
  );
}

function CustomerLink({ id }: { id: string }) {
  const target = pageById("customers");
  const text = <code className={classes.mono}>{id}</code>;
  if (target === undefined) return text;
  return (
    <PageLink page={target} search={{ customer: id } as Search} className={links.link}>
      {text}
    </PageLink>
  );
}
