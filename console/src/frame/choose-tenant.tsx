import { Avatar, Button, NavLink, Stack, Text, TextInput } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { Navigate, useNavigate } from "@tanstack/react-router";
import { api, take } from "../api/client.ts";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { useApiForm } from "../parts/form/api-form.ts";
import { usePerson } from "../session/session.ts";
import { useTenants } from "../tenants.ts";
import { useWords } from "../words/language.ts";
import { Outside, OutsideTitle } from "./outside.tsx";
import { words } from "./words.ts";

/** The first page: leads on if there is one tenant only, and to the first tenant if there is none. */
export function ChooseTenant() {
  const w = useWords(words);
  const { data: tenants, error, refetch } = useTenants();
  if (tenants?.length === 1) return <Navigate to={`/${tenants[0]?.tenantId}`} replace />;
  return (
    <Outside>
      {error !== null && (
        <>
          <OutsideTitle>{w.chooseTenant}</OutsideTitle>
          <ErrorDisplay error={error} onRetry={() => void refetch()} />
        </>
      )}
      {error === null && tenants !== undefined && tenants.length > 0 && (
        <>
          <OutsideTitle>{w.chooseTenant}</OutsideTitle>
          <Text c="dimmed">{w.chooseText}</Text>
          <TenantLinks tenants={tenants} />
        </>
      )}
      {tenants?.length === 0 && <FirstTenant />}
    </Outside>
  );
}

function TenantLinks({ tenants }: { tenants: readonly { tenantId: string; name: string }[] }) {
  const navigate = useNavigate();
  return (
    <div>
      {tenants.map(({ tenantId, name }) => (
        <NavLink
          key={tenantId}
          component="button"
          label={name}
          description={tenantId}
          leftSection={<Avatar size={32} radius="sm" color="blue" variant="filled" name={name} />}
          rightSection={<IconChevronRight size={16} stroke={1.6} aria-hidden />}
          px="sm"
          onClick={() => void navigate({ to: `/${tenantId}` })}
        />
      ))}
    </div>
  );
}

const ID_CHARS_MAX = 63;

/** The id that a name suggests: `Café Lune` becomes `cafe-lune`. */
const suggestId = (name: string): string =>
  name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, ID_CHARS_MAX);

function FirstTenant() {
  const w = useWords(words);
  const { isGlobal } = usePerson();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const form = useApiForm({
    initialValues: { name: "", tenantId: "" },
    send: async ({ name, tenantId }) => {
      const body = { files: { "tenant.yml": `name: ${JSON.stringify(name)}\n` } };
      const params = { path: { tenantId } };
      await take(api.PUT("/api/tenants/{tenantId}", { params, body } as never));
      await queries.invalidateQueries({ queryKey: ["tenants"] });
      await navigate({ to: `/${tenantId}` });
    },
  });
  if (!isGlobal) {
    return (
      <>
        <OutsideTitle>{w.noTenants}</OutsideTitle>
        <Text>{w.noTenantsForYou}</Text>
      </>
    );
  }
  return (
    <form onSubmit={form.submit} noValidate>
      <Stack>
        <OutsideTitle>{w.noTenants}</OutsideTitle>
        <Text c="dimmed">{w.noTenantsText}</Text>
        <TextInput
          label={w.tenantName}
          required
          data-autofocus
          {...form.field("name")}
          onChange={(event) => {
            const { value } = event.currentTarget;
            const wasSuggested = form.values.tenantId === suggestId(form.values.name);
            form.setValues({
              name: value,
              ...(wasSuggested ? { tenantId: suggestId(value) } : {}),
            });
          }}
        />
        <TextInput
          label={w.tenantId}
          description={w.tenantIdHint}
          required
          {...form.field("tenantId")}
        />
        <ErrorDisplay error={form.problem} />
        <Button type="submit" loading={form.isSending}>
          {w.createTenant}
        </Button>
      </Stack>
    </form>
  );
}
