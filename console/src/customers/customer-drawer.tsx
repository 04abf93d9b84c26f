import { Badge, Group, Skeleton, Text } from "@mantine/core";
import { IconPencil, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMissingScope } from "../api/rights.ts";
import { useTenantId } from "../navigation.tsx";
import { CopyIcon, CurlIcon } from "../parts/copy.tsx";
import { DetailDrawer } from "../parts/detail-drawer.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { Facts, Section } from "../parts/facts.tsx";
import { PassLink } from "../parts/pass-link.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import { words as partWords } from "../parts/words.ts";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { type Customer, customersOf, listPasses, nameOf, type Pass } from "./customer.ts";
import classes from "./customers.module.css";
import { words } from "./words.ts";

type Props = {
  readonly customer: Customer | undefined;
  readonly error: unknown;
  readonly onClose: () => void;
  readonly onEdit: () => void;
  readonly onErase: (customer: Customer) => void;
};

export function CustomerDrawer({ customer, error, onClose, onEdit, onErase }: Props) {
  const w = useWords(words);
  return (
    <DetailDrawer
      title={customer === undefined ? w.open : nameOf(customer)}
      isLoading={customer === undefined}
      error={error}
      onClose={onClose}
    >
      {customer !== undefined && (
        <>
          <Actions customer={customer} onEdit={onEdit} onErase={onErase} />
          <Section title={w.known}>
            <Known customer={customer} />
          </Section>
          <Section title={w.identifiers}>
            <Identifiers customer={customer} />
          </Section>
          <Section title={w.passes}>
            <Passes customerId={customer.customerId} />
          </Section>
          <Section title={w.consents}>
            <Consents customer={customer} />
          </Section>
        </>
      )}
    </DetailDrawer>
  );
}

type ActionProps = Pick<Props, "onEdit" | "onErase"> & { readonly customer: Customer };

function Actions({ customer, onEdit, onErase }: ActionProps) {
  const w = useWords(words);
  const tenantId = useTenantId();
  return (
    <Group gap="xs">
      <ScopedButton
        operation="customer.update"
        leftSection={<IconPencil size={16} stroke={1.6} />}
        onClick={onEdit}
      >
        {w.edit}
      </ScopedButton>
      <CurlIcon method="GET" path={`/api/${tenantId}/customers/${customer.customerId}`} />
      <ScopedButton
        operation="customer.delete"
        variant="light"
        color="red"
        leftSection={<IconTrash size={16} stroke={1.6} />}
        onClick={() => onErase(customer)}
      >
        {w.erase}
      </ScopedButton>
    </Group>
  );
}

function Known({ customer }: { customer: Customer }) {
  const w = useWords(words);
  const format = useFormat();
  const { firstName, lastName, email, phone, locale, customerId } = customer;
  return (
    <Facts
      facts={[
        [w.firstName, firstName],
        [w.lastName, lastName],
        [w.email, email],
        [w.phone, phone],
        [w.locale, locale],
        [w.created, format.moment(customer.createdAt)],
        [w.updated, format.moment(customer.updatedAt)],
        [
          w.customerId,
          <Group key="id" gap={4}>
            <code className={classes.mono}>{customerId}</code>
            <CopyIcon value={customerId} />
          </Group>,
        ],
      ]}
    />
  );
}

function Identifiers({ customer: { identifiers } }: { customer: Customer }) {
  const w = useWords(words);
  const entries = Object.entries(identifiers);
  if (entries.length === 0) return <Quiet text={w.noIdentifiers} />;
  return (
    <Facts
      facts={entries.map(([name, value]) => [
        name,
        <code key={name} className={classes.mono}>
          {value}
        </code>,
      ])}
    />
  );
}

function Passes({ customerId }: { customerId: string }) {
  const w = useWords(words);
  const parts = useWords(partWords);
  const format = useFormat();
  const tenantId = useTenantId();
  const missing = useMissingScope("pass.list-of-customer");
  const { data, error } = useQuery({
    queryKey: [...customersOf(tenantId), "passes", customerId],
    queryFn: () => listPasses(tenantId, customerId),
    enabled: missing === undefined,
    meta: { live: ["pass.", "customer."] },
  });
  if (missing !== undefined) return <Quiet text={parts.lacks(missing)} />;
  if (error !== null) return <ErrorDisplay error={error} />;
  if (data === undefined) return <Skeleton h={64} radius="md" />;
  if (data.items.length === 0) return <Quiet text={w.noPasses} />;
  const rest = data.total - data.items.length;
  return (
    <>
      <ul className={classes.passes}>
        {data.items.map((pass) => (
          <PassLine key={pass.id} pass={pass} />
        ))}
      </ul>
      {rest > 0 && <Quiet text={w.morePasses(format.number(rest))} />}
    </>
  );
}

function PassLine({ pass: { id, passType, status } }: { pass: Pass }) {
  const w = useWords(words);
  const labels = {
    active: w.statusActive,
    disabled: w.statusDisabled,
    expired: w.statusExpired,
  };
  return (
    <li>
      <div>
        <span className={classes.name}>{passType}</span>
        <span className={classes.quiet}>
          <PassLink passId={id} />
        </span>
      </div>
      <Badge color={status === "active" ? "teal" : "gray"} variant="light" tt="none">
        {labels[status]}
      </Badge>
    </li>
  );
}

function Consents({ customer: { consents } }: { customer: Customer }) {
  const w = useWords(words);
  const format = useFormat();
  const entries = Object.entries(consents);
  if (entries.length === 0) return <Quiet text={w.noConsents} />;
  return (
    <Facts
      facts={entries.map(([name, { granted, at, source, text }]) => [
        name,
        <div key={name}>
          <Badge color={granted ? "teal" : "gray"} variant="light" tt="none">
            {granted ? w.granted : w.refused}
          </Badge>
          <span className={classes.quiet}>
            {source === undefined ? format.moment(at) : w.consentFrom(source, format.moment(at))}
          </span>
          {text !== undefined && <Text size="sm">{text}</Text>}
        </div>,
      ])}
    />
  );
}

function Quiet({ text }: { text: string }) {
  return (
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  );
}
