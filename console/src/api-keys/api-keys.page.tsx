import { Badge, Group, Menu, Text, Tooltip } from "@mantine/core";
import { IconKey, IconPencil, IconRefresh, IconTrash } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { confirm } from "../parts/confirm.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { ListPage } from "../parts/list-page.tsx";
import { RowMenu } from "../parts/row-menu.tsx";
import { ScopedMenuItem } from "../parts/scoped-menu-item.tsx";
import type { Column } from "../parts/table/column.ts";
import { toast } from "../parts/toast.tsx";
import { useFormat } from "../words/format.ts";
import { useText, useWords } from "../words/language.ts";
import classes from "./api-keys.module.css";
import {
  type ApiKey,
  getKey,
  isBusy,
  isExpired,
  isIdle,
  KEY_EVENTS,
  keysOf,
  listKeys,
  revokeKey,
} from "./key.ts";
import { CreateDialog, EditDialog } from "./key-dialogs.tsx";
import { page } from "./page.ts";
import { RotateDialog } from "./rotate-dialog.tsx";
import { ALL_SCOPES, SCOPE_GROUPS } from "./scopes.ts";
import { words } from "./words.ts";

const GROUPS_SHOWN = 2;

const EXAMPLE = { name: "till-7", scopes: ["Pass.Read", "PassScan.Scan"] };

export function Page() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const path = `/api/${tenantId}/admin/apiKeys`;
  return (
    <ListPage<ApiKey>
      page={page}
      words={w}
      path={path}
      icon={IconKey}
      create={{
        operation: "api-key.create",
        label: w.create,
        example: { method: "POST", path, body: EXAMPLE },
      }}
      above={<OpenedKey />}
      columns={useColumns()}
      keyOf={({ name }) => name}
      queryKey={keysOf(tenantId)}
      live={KEY_EVENTS}
      load={(wish) => listKeys(tenantId, wish)}
      search={search}
      onSearch={setSearch}
      filterOf={(value) => [{ field: "name", operator: "contains", value }]}
      onOpen={({ name }) => setSearch({ edit: name }, { isStep: true })}
      rowActions={(apiKey) => <Actions apiKey={apiKey} />}
    >
      <CreateDialog
        key={search.new}
        opened={search.new === "yes"}
        onClose={() => setSearch({ new: undefined })}
      />
    </ListPage>
  );
}

/** The dialogs of one key, which the address names. */
function OpenedKey() {
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const name = search.edit ?? search.rotate;
  const { data: apiKey, error } = useQuery({
    queryKey: [...keysOf(tenantId), "one", name],
    queryFn: () => getKey(tenantId, name ?? ""),
    enabled: name !== undefined,
  });
  if (name === undefined) return undefined;
  if (error !== null) return <ErrorDisplay error={error} />;
  if (apiKey === undefined) return undefined;
  const close = () => setSearch({ edit: undefined, rotate: undefined, with: undefined });
  if (search.edit !== undefined) return <EditDialog apiKey={apiKey} onClose={close} />;
  return (
    <RotateDialog
      old={apiKey}
      newName={search.with}
      onMade={(made) => setSearch({ with: made })}
      onClose={close}
    />
  );
}

function useColumns(): readonly Column<ApiKey>[] {
  const w = useWords(words);
  const format = useFormat();
  return useMemo(
    () => [
      {
        id: "name",
        title: w.name,
        width: "minmax(11rem, 1.6fr)",
        sortField: "name",
        render: ({ name, prefix }) => (
          <>
            <span className={classes.keyName}>{name}</span>
            <span className={classes.prefix}>{prefix}…</span>
          </>
        ),
      },
      {
        id: "scopes",
        title: w.scopes,
        width: "minmax(12rem, 2fr)",
        render: (key) => <Scopes apiKey={key} />,
      },
      {
        id: "lastUsed",
        title: w.lastUsed,
        width: "minmax(9rem, 1.1fr)",
        sortField: "lastUsedAt",
        render: (key) => <LastUsed apiKey={key} />,
      },
      {
        id: "expires",
        title: w.expires,
        width: "minmax(7rem, 1fr)",
        sortField: "expiresAt",
        render: (key) => <Expires apiKey={key} />,
      },
      {
        id: "created",
        title: w.created,
        width: "minmax(7rem, 0.8fr)",
        sortField: "createdAt",
        render: ({ createdAt }) => <Text size="sm">{format.day(createdAt)}</Text>,
      },
      {
        id: "createdBy",
        title: w.createdBy,
        width: "minmax(8rem, 1fr)",
        isExtra: true,
        render: ({ createdBy }) => <Text size="sm">{createdBy}</Text>,
      },
    ],
    [w, format],
  );
}

/** The groups in which the key may do something; all its scopes in words when one points at them. */
function Scopes({ apiKey: { scopes } }: { apiKey: ApiKey }) {
  const w = useWords(words);
  const text = useText();
  const held = new Set<string>(scopes);
  const groups = SCOPE_GROUPS.filter((group) => group.scopes.some(({ name }) => held.has(name)));
  const meanings = ALL_SCOPES.filter(({ name }) => held.has(name)).map(({ meaning }) =>
    text(meaning),
  );
  return (
    <Tooltip multiline maw={360} label={meanings.map((line) => <div key={line}>{line}</div>)}>
      <Group gap={6} wrap="wrap">
        {groups.slice(0, GROUPS_SHOWN).map(({ title }) => (
          <Badge key={title.en} variant="default" tt="none" fw={500}>
            {text(title)}
          </Badge>
        ))}
        {groups.length > GROUPS_SHOWN && (
          <Badge variant="default" tt="none" fw={500}>
            {w.more(groups.length - GROUPS_SHOWN)}
          </Badge>
        )}
        <Text size="xs" c="dimmed">
          {w.scopeCount(scopes.length)}
        </Text>
      </Group>
    </Tooltip>
  );
}

function LastUsed({ apiKey }: { apiKey: ApiKey }) {
  const w = useWords(words);
  const format = useFormat();
  const { lastUsedAt } = apiKey;
  return (
    <Group gap={6}>
      {lastUsedAt === null ? (
        <Text size="sm" c="dimmed">
          {w.neverUsed}
        </Text>
      ) : (
        <Tooltip label={format.moment(lastUsedAt)}>
          <Text size="sm">{format.ago(lastUsedAt)}</Text>
        </Tooltip>
      )}
      {isIdle(apiKey) && (
        <Tooltip label={w.idleHint} multiline maw={280}>
          <Badge color="yellow" variant="light" tt="none">
            {w.idle}
          </Badge>
        </Tooltip>
      )}
    </Group>
  );
}

function Expires({ apiKey }: { apiKey: ApiKey }) {
  const w = useWords(words);
  const format = useFormat();
  const { expiresAt } = apiKey;
  if (expiresAt === null) {
    return (
      <Text size="sm" c="dimmed">
        {w.never}
      </Text>
    );
  }
  if (isExpired(apiKey)) {
    return (
      <Badge color="red" variant="light" tt="none">
        {w.expired}
      </Badge>
    );
  }
  return (
    <Tooltip label={format.moment(expiresAt)}>
      <Text size="sm">{format.ago(expiresAt)}</Text>
    </Tooltip>
  );
}

function Actions({ apiKey }: { apiKey: ApiKey }) {
  const w = useWords(words);
  const [, setSearch] = usePageSearch(page);
  const revoke = useRevoke();
  const { name } = apiKey;
  return (
    <RowMenu label={w.actions(name)}>
      <ScopedMenuItem
        operation="api-key.update"
        leftSection={<IconPencil size={16} stroke={1.6} />}
        onClick={() => setSearch({ edit: name }, { isStep: true })}
      >
        {w.edit}
      </ScopedMenuItem>
      <ScopedMenuItem
        operation="api-key.create"
        leftSection={<IconRefresh size={16} stroke={1.6} />}
        onClick={() => setSearch({ rotate: name, with: undefined }, { isStep: true })}
      >
        {w.rotate}
      </ScopedMenuItem>
      <Menu.Divider />
      <ScopedMenuItem
        operation="api-key.delete"
        color="red"
        leftSection={<IconTrash size={16} stroke={1.6} />}
        onClick={() => revoke(apiKey)}
      >
        {w.revoke}
      </ScopedMenuItem>
    </RowMenu>
  );
}

function useRevoke(): (apiKey: ApiKey) => void {
  const w = useWords(words);
  const format = useFormat();
  const tenantId = useTenantId();
  const queries = useQueryClient();
  return (apiKey) => {
    const { name, lastUsedAt } = apiKey;
    confirm({
      title: w.revokeTitle(name),
      text: (
        <>
          {isBusy(apiKey) && lastUsedAt !== null && (
            <Text fw={600} mb="xs">
              {w.revokeBusy(format.ago(lastUsedAt))}
            </Text>
          )}
          {w.revokeText}
        </>
      ),
      verb: w.revoke,
      isHarmful: true,
      ...(isBusy(apiKey) ? { typed: name } : {}),
      act: async () => {
        await revokeKey(tenantId, name);
        await queries.invalidateQueries({ queryKey: keysOf(tenantId) });
        toast({ message: w.revoked(name) });
      },
    });
  };
}
