import { MultiSelect, Radio, Stack, TextInput } from "@mantine/core";
import { useTenants } from "../tenants.ts";
import { useWords } from "../words/language.ts";
import type { Role } from "./administrator.ts";
import classes from "./administrators.module.css";
import { words } from "./words.ts";

const NAME_CHARS_MAX = 200;
const EMAIL_CHARS_MAX = 254;

export type PersonValues = { name: string; email: string; role: Role; tenants: string[] };

/** Which tenants the API is told: a Global Administrator has none of their own. */
export const tenantsIn = ({ role, tenants }: PersonValues): string[] =>
  role === "global" ? [] : tenants;

type Props = {
  readonly values: PersonValues;
  readonly field: (name: keyof PersonValues) => object;
};

export function AdministratorFields({ values, field }: Props) {
  const w = useWords(words);
  const { data: tenants = [] } = useTenants();
  const known = new Map(tenants.map(({ tenantId, name }) => [tenantId, name]));
  // Somebody may be assigned to a tenant that has ended.
  const choices = [...new Set([...known.keys(), ...values.tenants])].map((tenantId) => {
    const name = known.get(tenantId) ?? tenantId;
    return { value: tenantId, label: name === tenantId ? name : `${name} (${tenantId})` };
  });
  return (
    <Stack gap="lg">
      <TextInput
        label={w.name}
        required
        maxLength={NAME_CHARS_MAX}
        autoComplete="off"
        data-autofocus
        {...field("name")}
      />
      <TextInput
        label={w.email}
        description={w.emailHint}
        type="email"
        required
        maxLength={EMAIL_CHARS_MAX}
        autoComplete="off"
        {...field("email")}
      />
      <Radio.Group label={w.role} description={w.roleHint} {...field("role")}>
        <Stack gap="xs" mt="xs">
          <Radio.Card value="tenant" className={classes.role} aria-label={w.tenant}>
            <RoleWords title={w.tenant} text={w.tenantText} />
          </Radio.Card>
          <Radio.Card value="global" className={classes.role} aria-label={w.global}>
            <RoleWords title={w.global} text={w.globalText} />
          </Radio.Card>
        </Stack>
      </Radio.Group>
      {values.role === "tenant" && (
        <MultiSelect
          label={w.tenants}
          placeholder={values.tenants.length === 0 ? w.tenantsPlaceholder : ""}
          data={choices}
          searchable
          hidePickedOptions
          nothingFoundMessage={w.noTenantFound}
          required
          {...field("tenants")}
        />
      )}
    </Stack>
  );
}

function RoleWords({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <>
      <Radio.Indicator />
      <span>
        <span className={classes.roleName}>{title}</span>
        <span className={classes.roleText}>{text}</span>
      </span>
    </>
  );
}
