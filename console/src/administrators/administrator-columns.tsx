import { Avatar, Badge, Group, Text, Tooltip } from "@mantine/core";
import { useMemo } from "react";
import type { Column } from "../parts/table/column.ts";
import { useTenants } from "../tenants.ts";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import type { Administrator } from "./administrator.ts";
import { useIsSelf } from "./administrator-dialogs.tsx";
import classes from "./administrators.module.css";
import { words } from "./words.ts";

const TENANTS_SHOWN = 2;

type Props = { readonly administrator: Administrator };

export function useAdministratorColumns(): readonly Column<Administrator>[] {
  const w = useWords(words);
  const format = useFormat();
  return useMemo(
    () => [
      {
        id: "person",
        title: w.person,
        width: "minmax(14rem, 2fr)",
        sortField: "name",
        render: (administrator) => <Person administrator={administrator} />,
      },
      {
        id: "role",
        title: w.role,
        width: "minmax(10rem, 1fr)",
        sortField: "role",
        render: ({ role }) => <Text size="sm">{role === "global" ? w.global : w.tenant}</Text>,
      },
      {
        id: "tenants",
        title: w.tenants,
        width: "minmax(10rem, 1.4fr)",
        render: (administrator) => <Tenants administrator={administrator} />,
      },
      {
        id: "status",
        title: w.status,
        width: "minmax(6rem, 0.6fr)",
        render: (administrator) => <Status administrator={administrator} />,
      },
      {
        id: "lastSignIn",
        title: w.lastSignIn,
        width: "minmax(8rem, 0.8fr)",
        sortField: "lastSignInAt",
        render: (administrator) => <LastSignIn administrator={administrator} />,
      },
      {
        id: "created",
        title: w.created,
        width: "minmax(7rem, 0.7fr)",
        sortField: "createdAt",
        isExtra: true,
        render: ({ createdAt }) => <Text size="sm">{format.day(createdAt)}</Text>,
      },
    ],
    [w, format],
  );
}

function Person({ administrator }: Props) {
  const w = useWords(words);
  const isSelf = useIsSelf();
  const { name, email } = administrator;
  return (
    <div className={classes.person}>
      <Avatar size={34} name={name} color="blue" aria-hidden />
      <div>
        <Group gap={6}>
          <span className={classes.personName}>{name}</span>
          {isSelf(administrator) && (
            <Badge size="sm" variant="default" tt="none">
              {w.you}
            </Badge>
          )}
        </Group>
        <span className={classes.email}>{email}</span>
      </div>
    </div>
  );
}

function Tenants({ administrator: { role, tenants } }: Props) {
  const w = useWords(words);
  const { data: known = [] } = useTenants();
  if (role === "global") {
    return (
      <Text size="sm" c="dimmed">
        {w.allTenants}
      </Text>
    );
  }
  const names = tenants.map(
    (tenantId) => known.find((tenant) => tenant.tenantId === tenantId)?.name ?? tenantId,
  );
  return (
    <Tooltip multiline maw={320} label={names.join(", ")} disabled={names.length <= TENANTS_SHOWN}>
      <Group gap={6}>
        {names.slice(0, TENANTS_SHOWN).map((name) => (
          <Badge key={name} variant="default" tt="none" fw={500}>
            {name}
          </Badge>
        ))}
        {names.length > TENANTS_SHOWN && (
          <Badge variant="default" tt="none" fw={500}>
            {w.more(names.length - TENANTS_SHOWN)}
          </Badge>
        )}
      </Group>
    </Tooltip>
  );
}

function Status({ administrator: { disabled, invited } }: Props) {
  const w = useWords(words);
  if (disabled) {
    return (
      <Badge color="red" variant="light" tt="none">
        {w.disabled}
      </Badge>
    );
  }
  if (invited) {
    return (
      <Tooltip label={w.invitedHint}>
        <Badge color="yellow" variant="light" tt="none">
          {w.invited}
        </Badge>
      </Tooltip>
    );
  }
  return <Text size="sm">{w.active}</Text>;
}

function LastSignIn({ administrator: { lastSignInAt } }: Props) {
  const w = useWords(words);
  const format = useFormat();
  if (lastSignInAt === null) {
    return (
      <Text size="sm" c="dimmed">
        {w.never}
      </Text>
    );
  }
  return (
    <Tooltip label={format.moment(lastSignInAt)}>
      <Text size="sm">{format.ago(lastSignInAt)}</Text>
    </Tooltip>
  );
}
