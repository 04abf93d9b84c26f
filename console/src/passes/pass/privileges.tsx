import { Badge, Button, Skeleton, Table, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { usePageSearch, useTenantId } from "../../navigation.tsx";
import { confirm } from "../../parts/confirm.tsx";
import { ErrorDisplay } from "../../parts/error-display.tsx";
import { ScopedButton } from "../../parts/scoped.tsx";
import { ScrollRegion } from "../../parts/scroll-region.tsx";
import { toast } from "../../parts/toast.tsx";
import { useFormat } from "../../words/format.ts";
import { useWords } from "../../words/language.ts";
import {
  LIVE,
  listMovements,
  listPrivileges,
  type Movement,
  type Privilege,
  passKey,
  reverseMovement,
} from "./calls.ts";
import { page } from "./page.ts";
import classes from "./pass.module.css";
import { words } from "./words.ts";

export function usePrivileges(passId: string) {
  const tenantId = useTenantId();
  return useQuery({
    queryKey: [...passKey(tenantId, passId), "privileges"],
    queryFn: () => listPrivileges(tenantId, passId),
    meta: { live: LIVE },
  });
}

export function Privileges({ passId }: { readonly passId: string }) {
  const w = useWords(words);
  const { data, error, refetch } = usePrivileges(passId);
  if (error !== null) return <ErrorDisplay error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={200} radius="lg" />;
  return (
    <>
      <p className={classes.lead}>{w.privilegesLead}</p>
      {data.length === 0 && <Text c="dimmed">{w.noPrivileges}</Text>}
      {data.map((privilege) => (
        <OnePrivilege key={privilege.privilegeId} passId={passId} privilege={privilege} />
      ))}
    </>
  );
}

type OneProps = { readonly passId: string; readonly privilege: Privilege };

function OnePrivilege({ passId, privilege }: OneProps) {
  const w = useWords(words);
  const format = useFormat();
  const [search, setSearch] = usePageSearch(page);
  const { privilegeId, name, value, unit, status, validUntil } = privilege;
  const isOpen = search.privilege === privilegeId;
  const label = { available: w.available, locked: w.locked, used: w.used, expired: w.expired };
  return (
    <section className={classes.privilege} aria-label={name}>
      <div className={classes.privilegeHead}>
        <div style={{ flex: 1, minWidth: 0 }}>
          <Text fw={600}>{name}</Text>
          <Text size="xs" c="dimmed">
            <code>{privilegeId}</code> · {privilege.type}
            {validUntil !== null && ` · ${w.valid} ${format.day(validUntil)}`}
          </Text>
        </div>
        <Badge variant="light" color={status === "available" ? "teal" : "gray"} tt="none">
          {label[status]}
        </Badge>
        {value !== null && (
          <span className={classes.value}>
            {format.number(Number(value))} {unit ?? ""}
          </span>
        )}
        <Button
          size="xs"
          variant="default"
          aria-expanded={isOpen}
          onClick={() => setSearch({ privilege: isOpen ? undefined : privilegeId })}
        >
          {w.ledger}
        </Button>
        <ScopedButton
          operation="movement.create"
          size="xs"
          onClick={() => setSearch({ do: "move", privilege: privilegeId }, { isStep: true })}
        >
          {w.move}
        </ScopedButton>
      </div>
      {isOpen && <Ledger passId={passId} privilegeId={privilegeId} />}
    </section>
  );
}

function Ledger({
  passId,
  privilegeId,
}: {
  readonly passId: string;
  readonly privilegeId: string;
}) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const { data, error } = useQuery({
    queryKey: [...passKey(tenantId, passId), "movements", privilegeId],
    queryFn: () => listMovements(tenantId, passId, privilegeId),
    meta: { live: ["privilege."] },
  });
  if (error !== null) return <ErrorDisplay error={error} />;
  if (data === undefined) return <Skeleton h={120} mt="sm" />;
  if (data.items.length === 0) {
    return (
      <Text c="dimmed" mt="sm">
        {w.noMovements}
      </Text>
    );
  }
  const undone = new Set(data.items.flatMap(({ reverses }) => reverses ?? []));
  return (
    <ScrollRegion label={w.ledger}>
      <Table miw={560}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{w.when}</Table.Th>
            <Table.Th>{w.kind}</Table.Th>
            <Table.Th ta="right">{w.change}</Table.Th>
            <Table.Th ta="right">{w.after}</Table.Th>
            <Table.Th>{w.reason}</Table.Th>
            <Table.Th aria-label={w.reverse} />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.items.map((movement) => (
            <MovementRow
              key={movement.movementId}
              passId={passId}
              movement={movement}
              isUndone={undone.has(movement.movementId)}
            />
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  );
}

type RowProps = {
  readonly passId: string;
  readonly movement: Movement;
  readonly isUndone: boolean;
};

function MovementRow({ passId, movement, isUndone }: RowProps) {
  const w = useWords(words);
  const format = useFormat();
  const reverse = useReverse(passId);
  const { type, value, valueAfter, occurredAt, reason, reference, reverses } = movement;
  const kind = { issuance: w.issuance, redemption: w.redemption, adjustment: w.adjustment }[type];
  const why = [reason, reference, reverses === null ? null : w.reverses(reverses)];
  return (
    <Table.Tr>
      <Table.Td title={format.moment(occurredAt)}>{format.ago(occurredAt)}</Table.Td>
      <Table.Td>{kind}</Table.Td>
      <Table.Td ta="right">
        {Number(value) > 0 ? "+" : ""}
        {format.number(Number(value))}
      </Table.Td>
      <Table.Td ta="right">
        {valueAfter === null ? "–" : format.number(Number(valueAfter))}
      </Table.Td>
      <Table.Td>{why.filter((part) => part !== null).join(" · ")}</Table.Td>
      <Table.Td ta="right">
        {isUndone && (
          <Text size="sm" c="dimmed">
            {w.reversed}
          </Text>
        )}
        {!isUndone && reverses === null && (
          <ScopedButton
            operation="movement.reverse"
            size="compact-xs"
            variant="subtle"
            onClick={() => reverse(movement)}
          >
            {w.reverse}
          </ScopedButton>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function useReverse(passId: string): (movement: Movement) => void {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  return (movement) =>
    confirm({
      title: w.reverseTitle,
      text: w.reverseText,
      verb: w.reverse,
      act: async () => {
        await reverseMovement(tenantId, passId, movement);
        await queries.invalidateQueries({ queryKey: passKey(tenantId, passId) });
        toast({ message: w.reversedNow });
      },
    });
}
