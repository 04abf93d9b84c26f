import { Group, Menu, Text } from "@mantine/core";
import { IconAppWindow, IconPencil, IconTrash } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { usePageSearch } from "../navigation.tsx";
import { confirm } from "../parts/confirm.tsx";
import { CopyIcon } from "../parts/copy.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { ListPage } from "../parts/list-page.tsx";
import { RowMenu } from "../parts/row-menu.tsx";
import { ScopedMenuItem } from "../parts/scoped-menu-item.tsx";
import type { Column } from "../parts/table/column.ts";
import { toast } from "../parts/toast.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { CLIENTS, getClient, listClients, type OAuthClient, removeClient } from "./client.ts";
import { EditDialog, RegisterDialog } from "./client-dialogs.tsx";
import { page } from "./page.ts";
import { words } from "./words.ts";

const PATH = "/api/oauthClients";
const EXAMPLE = { name: "Intranet", redirectUris: ["https://intranet.example.com/callback"] };

export function Page() {
  const w = useWords(words);
  const [search, setSearch] = usePageSearch(page);
  return (
    <ListPage<OAuthClient>
      page={page}
      words={w}
      path={PATH}
      icon={IconAppWindow}
      create={{
        operation: "oauth-client.create",
        label: w.register,
        example: { method: "POST", path: PATH, body: EXAMPLE },
      }}
      above={<OpenedClient />}
      columns={useColumns()}
      keyOf={({ clientId }) => clientId}
      queryKey={CLIENTS}
      live={[]}
      isReadOnReturn
      load={listClients}
      search={search}
      onSearch={setSearch}
      filterOf={(value) => [{ field: "name", operator: "contains", value }]}
      onOpen={({ clientId }) => setSearch({ edit: clientId }, { isStep: true })}
      rowActions={(client) => <Actions client={client} />}
    >
      <RegisterDialog
        key={search.new}
        opened={search.new === "yes"}
        onClose={() => setSearch({ new: undefined })}
      />
    </ListPage>
  );
}

/** The dialog of the client that the address names. */
function OpenedClient() {
  const [{ edit }, setSearch] = usePageSearch(page);
  const { data: client, error } = useQuery({
    queryKey: [...CLIENTS, "one", edit],
    queryFn: () => getClient(edit ?? ""),
    enabled: edit !== undefined,
    // A form begins with what is there now, not with what was there when it was last open.
    gcTime: 0,
  });
  if (edit === undefined) return undefined;
  if (error !== null) return <ErrorDisplay error={error} />;
  if (client === undefined) return undefined;
  return <EditDialog key={edit} client={client} onClose={() => setSearch({ edit: undefined })} />;
}

function useColumns(): readonly Column<OAuthClient>[] {
  const w = useWords(words);
  const format = useFormat();
  return useMemo(
    () => [
      {
        id: "name",
        title: w.name,
        width: "minmax(9rem, 1.2fr)",
        sortField: "name",
        render: ({ name }) => <Text fw={600}>{name}</Text>,
      },
      {
        id: "clientId",
        title: w.clientId,
        width: "minmax(14rem, 1.6fr)",
        render: ({ clientId }) => (
          <Group gap={4} wrap="nowrap">
            <Text size="xs" ff="monospace">
              {clientId}
            </Text>
            <CopyIcon value={clientId} label={w.copyId} />
          </Group>
        ),
      },
      {
        id: "redirects",
        title: w.redirects,
        width: "minmax(12rem, 2fr)",
        render: ({ redirectUris: [first, ...others] }) => (
          <div>
            <Text size="sm">{first}</Text>
            {others.length > 0 && (
              <Text size="xs" c="dimmed">
                {w.more(others.length)}
              </Text>
            )}
          </div>
        ),
      },
      {
        id: "flows",
        title: w.flows,
        width: "minmax(10rem, 1.2fr)",
        isExtra: true,
        render: ({ flows }) => (
          <Text size="sm">
            {flows.map((flow) => (flow === "implicit" ? w.implicit : w.code)).join(", ")}
          </Text>
        ),
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
        width: "minmax(9rem, 1fr)",
        isExtra: true,
        render: ({ createdBy }) => <Text size="sm">{createdBy}</Text>,
      },
    ],
    [w, format],
  );
}

function Actions({ client }: { client: OAuthClient }) {
  const w = useWords(words);
  const [, setSearch] = usePageSearch(page);
  const queries = useQueryClient();
  const { clientId, name } = client;
  const remove = () =>
    confirm({
      title: w.removeTitle(name),
      text: w.removeText,
      verb: w.remove,
      isHarmful: true,
      act: async () => {
        await removeClient(clientId);
        await queries.invalidateQueries({ queryKey: CLIENTS });
        toast({ message: w.removed(name) });
      },
    });
  return (
    <RowMenu label={w.actions(name)}>
      <ScopedMenuItem
        operation="oauth-client.update"
        leftSection={<IconPencil size={16} stroke={1.6} />}
        onClick={() => setSearch({ edit: clientId }, { isStep: true })}
      >
        {w.edit}
      </ScopedMenuItem>
      <Menu.Divider />
      <ScopedMenuItem
        operation="oauth-client.delete"
        color="red"
        leftSection={<IconTrash size={16} stroke={1.6} />}
        onClick={remove}
      >
        {w.remove}
      </ScopedMenuItem>
    </RowMenu>
  );
}
