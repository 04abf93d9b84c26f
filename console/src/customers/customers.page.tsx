import { SegmentedControl, Text } from "@mantine/core";
import { IconUsers } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { ListPage } from "../parts/list-page.tsx";
import type { Column } from "../parts/table/column.ts";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import {
  CUSTOMER_EVENTS,
  type Customer,
  customersOf,
  getCustomer,
  listCustomers,
  nameOf,
  typedFilter,
} from "./customer.ts";
import { CreateDialog, EditDialog } from "./customer-dialogs.tsx";
import { CustomerDrawer } from "./customer-drawer.tsx";
import classes from "./customers.module.css";
import { useErase } from "./erase.tsx";
import { page } from "./page.ts";
import { words } from "./words.ts";

const IDENTIFIERS_SHOWN = 2;
const EXAMPLE = {
  firstName: "Camille",
  email: "camille@example.com",
  identifiers: { "loyalty.number": "40012345" },
};

export function Page() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const path = `/api/${tenantId}/customers`;
  const isFirstName = search.by === "first";
  return (
    <ListPage<Customer>
      page={page}
      words={w}
      path={path}
      icon={IconUsers}
      create={{
        operation: "customer.create",
        label: w.create,
        example: { method: "POST", path, body: EXAMPLE },
      }}
      above={
        <>
          <OpenedCustomer />
          <NameChoice />
        </>
      }
      columns={useColumns()}
      keyOf={({ customerId }) => customerId}
      queryKey={[...customersOf(tenantId), "list", isFirstName]}
      live={CUSTOMER_EVENTS}
      load={(wish) => listCustomers(tenantId, wish)}
      search={search}
      onSearch={setSearch}
      filterOf={(text) => typedFilter(text, isFirstName)}
      onOpen={({ customerId }) => setSearch({ customer: customerId }, { isStep: true })}
    >
      <CreateDialog
        key={search.new}
        opened={search.new === "yes"}
        onClose={() => setSearch({ new: undefined })}
        onMade={({ customerId }) => setSearch({ new: undefined, customer: customerId })}
      />
    </ListPage>
  );
}

/** Whether what is typed is sought among last names or first names. */
function NameChoice() {
  const w = useWords(words);
  const [search, setSearch] = usePageSearch(page);
  return (
    <div className={classes.filters}>
      <Text size="sm" c="dimmed" id="typed-is">
        {w.typedIs}
      </Text>
      <SegmentedControl
        size="xs"
        aria-labelledby="typed-is"
        data={[
          { value: "last", label: w.lastNames },
          { value: "first", label: w.firstNames },
        ]}
        value={search.by === "first" ? "first" : "last"}
        onChange={(value) => setSearch({ by: value === "first" ? "first" : undefined })}
      />
    </div>
  );
}

/** The customer that the address names. */
function OpenedCustomer() {
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const customerId = search.edit ?? search.customer;
  const { data: customer, error } = useQuery({
    queryKey: [...customersOf(tenantId), "one", customerId],
    queryFn: () => getCustomer(tenantId, customerId ?? ""),
    enabled: customerId !== undefined,
    meta: { live: CUSTOMER_EVENTS },
  });
  const erase = useErase(() => setSearch({ customer: undefined, edit: undefined }));
  if (customerId === undefined) return undefined;
  return (
    <>
      {search.customer === undefined ? (
        <ErrorDisplay error={error} />
      ) : (
        <CustomerDrawer
          customer={customer}
          error={error}
          onClose={() => setSearch({ customer: undefined })}
          onEdit={() => setSearch({ edit: customerId }, { isStep: true })}
          onErase={erase}
        />
      )}
      {customer !== undefined && search.edit !== undefined && (
        <EditDialog customer={customer} onClose={() => setSearch({ edit: undefined })} />
      )}
    </>
  );
}

function useColumns(): readonly Column<Customer>[] {
  const w = useWords(words);
  const format = useFormat();
  return useMemo(
    () => [
      {
        id: "name",
        title: w.name,
        width: "minmax(11rem, 1.3fr)",
        sortField: "lastName",
        render: (customer) => <span className={classes.name}>{nameOf(customer)}</span>,
      },
      {
        id: "email",
        title: w.email,
        width: "minmax(12rem, 1.5fr)",
        sortField: "email",
        render: ({ email }) => <Text size="sm">{email ?? "—"}</Text>,
      },
      {
        id: "phone",
        title: w.phone,
        width: "minmax(9rem, 1fr)",
        sortField: "phone",
        render: ({ phone }) => <Text size="sm">{phone ?? "—"}</Text>,
      },
      {
        id: "identifiers",
        title: w.identifiers,
        width: "minmax(11rem, 1.4fr)",
        render: ({ identifiers }) => (
          <div>
            {Object.entries(identifiers)
              .slice(0, IDENTIFIERS_SHOWN)
              .map(([name, value]) => (
                <Text key={name} size="sm">
                  <Text span c="dimmed" size="xs">
                    {name}
                  </Text>{" "}
                  {value}
                </Text>
              ))}
          </div>
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
        id: "locale",
        title: w.locale,
        width: "minmax(5rem, 0.5fr)",
        isExtra: true,
        sortField: "locale",
        render: ({ locale }) => <Text size="sm">{locale ?? "—"}</Text>,
      },
    ],
    [w, format],
  );
}
