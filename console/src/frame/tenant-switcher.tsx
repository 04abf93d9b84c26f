import {
  Avatar,
  Menu,
  ScrollArea,
  Text,
  TextInput,
  UnstyledButton,
  VisuallyHidden,
} from "@mantine/core";
import { IconCheck, IconSearch, IconSelector } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTenantId } from "../navigation.tsx";
import { useTenants } from "../tenants.ts";
import { useWords } from "../words/language.ts";
import classes from "./frame.module.css";
import { words } from "./words.ts";

/** With more tenants than this, people look for one by typing. */
const SEARCH_FROM = 7;

export function TenantSwitcher() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const { data: tenants = [] } = useTenants();
  const name = tenants.find((tenant) => tenant.tenantId === tenantId)?.name ?? tenantId;
  const plate = (
    <>
      <Avatar size={28} radius="sm" color="blue" variant="filled" name={name} aria-hidden />
      <span style={{ flex: 1, minWidth: 0 }}>
        <Text size="sm" fw={600} truncate component="span" display="block">
          {name}
        </Text>
        <Text size="xs" c="dimmed" truncate component="span" display="block">
          {tenantId}
        </Text>
      </span>
    </>
  );
  if (tenants.length < 2) return <div className={classes.plate}>{plate}</div>;
  return (
    <Menu width={280} position="bottom-start">
      <Menu.Target>
        <UnstyledButton className={classes.plate}>
          {plate}
          <VisuallyHidden>{w.switchTenant}</VisuallyHidden>
          <IconSelector size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <TenantList current={tenantId} tenants={tenants} />
      </Menu.Dropdown>
    </Menu>
  );
}

type ListProps = {
  readonly current: string;
  readonly tenants: readonly { readonly tenantId: string; readonly name: string }[];
};

function TenantList({ current, tenants }: ListProps) {
  const w = useWords(words);
  const navigate = useNavigate();
  const [wish, setWish] = useState("");
  const wanted = wish.toLowerCase();
  const found = tenants.filter(({ tenantId, name }) =>
    `${tenantId} ${name}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      {tenants.length >= SEARCH_FROM && (
        <TextInput
          value={wish}
          onChange={(event) => setWish(event.currentTarget.value)}
          placeholder={w.findTenant}
          aria-label={w.findTenant}
          leftSection={<IconSearch size={16} />}
          m={4}
          data-autofocus
        />
      )}
      <ScrollArea.Autosize mah={320} type="auto">
        {found.map(({ tenantId, name }) => (
          <Menu.Item
            key={tenantId}
            onClick={() => void navigate({ to: `/${tenantId}` })}
            rightSection={tenantId === current ? <IconCheck size={16} aria-hidden /> : undefined}
            aria-current={tenantId === current}
          >
            {name}
            <Text size="xs" c="dimmed">
              {tenantId}
            </Text>
          </Menu.Item>
        ))}
        {found.length === 0 && <Menu.Label>{w.noTenantFound}</Menu.Label>}
      </ScrollArea.Autosize>
    </>
  );
}
