import { Avatar, Badge, Group, Menu, Text, Tooltip } from "@mantine/core";
import { IconArrowRight, IconBuildingStore, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { confirm } from "../parts/confirm.tsx";
import { ListPage } from "../parts/list-page.tsx";
import { RowMenu } from "../parts/row-menu.tsx";
import { ScopedMenuItem } from "../parts/scoped-menu-item.tsx";
import type { Column } from "../parts/table/column.ts";
import { toast } from "../parts/toast.tsx";
import { useForgetTenant } from "../tenants.ts";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { CreateDialog } from "./create-dialog.tsx";
import { page } from "./page.ts";
import {
  endTenant,
  listTenants,
  TENANT_EVENTS,
  TENANT_LIST,
  TENANTS,
  type Tenant,
} from "./tenant.ts";
import { words } from "./words.ts";

const PATH = "/api/tenants";
const EXAMPLE = { files: { "tenant.yml": "name: Café Lune\n" } };

export function Page() {
  const w = useWords(words);
  const navigate = useNavigate();
  const [search, setSearch] = usePageSearch(page);
  return (
    <ListPage<Tenant>
      page={page}
      words={w}
      path={PATH}
      icon={IconBuildingStore}
      create={{
        operation: "tenant.put",
        label: w.create,
        // Whoever may list all tenants may also create one.
        allowedBy: "tenant.list",
        example: { method: "PUT", path: `${PATH}/cafe-lune`, body: EXAMPLE },
      }}
      columns={useColumns()}
      keyOf={({ tenantId }) => tenantId}
      queryKey={TENANT_LIST}
      live={TENANT_EVENTS}
      load={listTenants}
      search={search}
      onSearch={setSearch}
      filterOf={(value) => [{ field: "name", operator: "contains", value }]}
      onOpen={({ tenantId }) => void navigate({ to: `/${tenantId}` })}
      rowActions={(tenant) => <Actions tenant={tenant} />}
    >
      <CreateDialog
        key={search.new}
        opened={search.new === "yes"}
        onClose={() => setSearch({ new: undefined })}
      />
    </ListPage>
  );
}

function useColumns(): readonly Column<Tenant>[] {
  const w = useWords(words);
  const format = useFormat();
  const here = useTenantId();
  return useMemo(
    () => [
      {
        id: "name",
        title: w.name,
        width: "minmax(13rem, 2fr)",
        sortField: "name",
        render: ({ name, tenantId }) => (
          <Group gap="sm" wrap="nowrap">
            <Avatar size={34} radius="sm" color="blue" variant="filled" name={name} aria-hidden />
            <div>
              <Group gap={6}>
                <Text fw={600}>{name}</Text>
                {tenantId === here && (
                  <Badge size="sm" variant="default" tt="none">
                    {w.here}
                  </Badge>
                )}
              </Group>
              <Text size="xs" c="dimmed" ff="monospace">
                {tenantId}
              </Text>
            </div>
          </Group>
        ),
      },
      {
        id: "version",
        title: w.version,
        width: "minmax(5rem, 0.5fr)",
        render: ({ version }) => (
          <Tooltip label={w.versionHint}>
            <Text size="sm">{format.number(version)}</Text>
          </Tooltip>
        ),
      },
      {
        id: "updated",
        title: w.updated,
        width: "minmax(8rem, 0.8fr)",
        sortField: "updatedAt",
        render: ({ updatedAt }) => (
          <Tooltip label={format.moment(updatedAt)}>
            <Text size="sm">{format.ago(updatedAt)}</Text>
          </Tooltip>
        ),
      },
      {
        id: "created",
        title: w.created,
        width: "minmax(7rem, 0.7fr)",
        sortField: "createdAt",
        render: ({ createdAt }) => <Text size="sm">{format.day(createdAt)}</Text>,
      },
    ],
    [w, here, format],
  );
}

function Actions({ tenant }: { tenant: Tenant }) {
  const w = useWords(words);
  const here = useTenantId();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const forgetTenant = useForgetTenant();
  const { tenantId, name } = tenant;
  const end = () =>
    confirm({
      title: w.removeTitle(name),
      text: w.removeText(name),
      verb: w.remove,
      isHarmful: true,
      typed: tenantId,
      act: async () => {
        await endTenant(tenantId);
        forgetTenant(tenantId);
        // Its pages have nothing to show any more.
        if (tenantId === here) await navigate({ to: "/" });
        await queries.invalidateQueries({ queryKey: TENANTS });
        toast({ message: w.removed(name) });
      },
    });
  return (
    <RowMenu label={w.actions(name)}>
      <Menu.Item
        leftSection={<IconArrowRight size={16} stroke={1.6} />}
        onClick={() => void navigate({ to: `/${tenantId}` })}
      >
        {w.open}
      </Menu.Item>
      <Menu.Divider />
      <ScopedMenuItem
        operation="tenant.delete"
        color="red"
        leftSection={<IconTrash size={16} stroke={1.6} />}
        onClick={end}
      >
        {w.remove}
      </ScopedMenuItem>
    </RowMenu>
  );
}
