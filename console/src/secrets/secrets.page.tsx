import { Group, Menu, Text, Tooltip } from "@mantine/core";
import { IconEye, IconEyeOff, IconLock, IconRefresh, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { confirm } from "../parts/confirm.tsx";
import { ListPage } from "../parts/list-page.tsx";
import { RowMenu } from "../parts/row-menu.tsx";
import { ScopedMenuItem } from "../parts/scoped-menu-item.tsx";
import type { Column } from "../parts/table/column.ts";
import { toast } from "../parts/toast.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { page } from "./page.ts";
import { deleteSecret, listSecrets, readSecret, type SecretEntry, secretsOf } from "./secret.ts";
import { ReplaceDialog, StoreDialog } from "./secret-dialogs.tsx";
import { type Shown, ShownSecret } from "./shown-secret.tsx";
import { words } from "./words.ts";

export function Page() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const [shown, setShown] = useState<Shown>();
  const hide = useCallback(() => setShown(undefined), []);
  const path = `/api/${tenantId}/secrets`;
  return (
    <ListPage<SecretEntry>
      page={page}
      words={w}
      path={path}
      icon={IconLock}
      create={{
        operation: "secret.put",
        label: w.store,
        example: { method: "PUT", path: `${path}/WEBSHOP-TOKEN`, body: { value: "…" } },
      }}
      columns={useColumns()}
      keyOf={({ key }) => key}
      queryKey={secretsOf(tenantId)}
      live={[]}
      isReadOnReturn
      load={(wish) => listSecrets(tenantId, wish)}
      search={search}
      onSearch={setSearch}
      filterOf={(value) => [{ field: "key", operator: "contains", value }]}
      rowActions={({ key }) => <Actions secretKey={key} onShown={setShown} />}
    >
      <StoreDialog
        key={search.new}
        opened={search.new === "yes"}
        onClose={() => setSearch({ new: undefined })}
      />
      {search.replace !== undefined && (
        <ReplaceDialog
          key={search.replace}
          secretKey={search.replace}
          onClose={() => setSearch({ replace: undefined })}
        />
      )}
      <ShownSecret shown={shown} onHide={hide} />
    </ListPage>
  );
}

function useColumns(): readonly Column<SecretEntry>[] {
  const w = useWords(words);
  const format = useFormat();
  return useMemo(
    () => [
      {
        id: "key",
        title: w.key,
        width: "minmax(12rem, 2fr)",
        sortField: "key",
        render: ({ key }) => (
          <Text size="sm" ff="monospace" fw={600}>
            {key}
          </Text>
        ),
      },
      {
        id: "value",
        title: w.value,
        width: "minmax(7rem, 1fr)",
        render: () => (
          <Group gap={6} c="dimmed" fz="sm">
            <IconEyeOff size={16} stroke={1.6} aria-hidden />
            {w.hidden}
          </Group>
        ),
      },
      {
        id: "updated",
        title: w.updated,
        width: "minmax(9rem, 1fr)",
        sortField: "updatedAt",
        render: ({ updatedAt }) => (
          <Tooltip label={format.moment(updatedAt)}>
            <Text size="sm">{format.ago(updatedAt)}</Text>
          </Tooltip>
        ),
      },
    ],
    [w, format],
  );
}

type ActionsProps = {
  readonly secretKey: string;
  readonly onShown: (shown: Shown) => void;
};

function Actions({ secretKey, onShown }: ActionsProps) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [, setSearch] = usePageSearch(page);
  const queries = useQueryClient();
  const show = () =>
    confirm({
      title: w.showTitle(secretKey),
      text: w.showText,
      verb: w.show,
      act: async () => onShown({ key: secretKey, value: await readSecret(tenantId, secretKey) }),
    });
  const remove = () =>
    confirm({
      title: w.removeTitle(secretKey),
      text: w.removeText,
      verb: w.remove,
      isHarmful: true,
      typed: secretKey,
      act: async () => {
        await deleteSecret(tenantId, secretKey);
        await queries.invalidateQueries({ queryKey: secretsOf(tenantId) });
        toast({ message: w.removed(secretKey) });
      },
    });
  return (
    <RowMenu label={w.actions(secretKey)}>
      <ScopedMenuItem
        operation="secret.put"
        leftSection={<IconRefresh size={16} stroke={1.6} />}
        onClick={() => setSearch({ replace: secretKey }, { isStep: true })}
      >
        {w.replace}
      </ScopedMenuItem>
      <ScopedMenuItem
        operation="secret.get"
        leftSection={<IconEye size={16} stroke={1.6} />}
        onClick={show}
      >
        {w.show}
      </ScopedMenuItem>
      <Menu.Divider />
      <ScopedMenuItem
        operation="secret.delete"
        color="red"
        leftSection={<IconTrash size={16} stroke={1.6} />}
        onClick={remove}
      >
        {w.remove}
      </ScopedMenuItem>
    </RowMenu>
  );
}
