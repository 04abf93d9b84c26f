import { Checkbox, Text } from "@mantine/core";
import { IconPlus, IconWallet } from "@tabler/icons-react";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import type { ListPage } from "../api/client.ts";
import { curlOf } from "../api/curl.ts";
import { useOfferActions } from "../frame/page-actions.ts";
import { useGoTo, usePageSearch, useTenantId } from "../navigation.tsx";
import { CurlIcon } from "../parts/copy.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Later } from "../parts/later.tsx";
import { NothingFits } from "../parts/nothing-fits.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import type { Column } from "../parts/table/column.ts";
import { ListTable } from "../parts/table/list-table.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { CreateDialog } from "./create-dialog.tsx";
import { FilterBar, useFieldName } from "./filter-bar.tsx";
import { filtersOf, NO_FILTERS, searchableFields, textFilter } from "./filters.ts";
import { type PassesSearch, page } from "./page.ts";
import { page as passPage } from "./pass/page.ts";
import { identifiersOf, listPasses, nameOf, PASS_EVENTS, type Pass, passesOf } from "./pass.ts";
import classes from "./passes.module.css";
import { PicksContext, usePicks } from "./selection.ts";
import { StatusMark, WalletMarks } from "./status.tsx";
import { words } from "./words.ts";

export function Page() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const goTo = useGoTo();
  const [search, setSearch] = usePageSearch(page);
  const { pass: asked } = search;
  useEffect(() => {
    if (asked !== undefined) goTo(passPage, { passId: asked });
  }, [asked, goTo]);
  const create = () => setSearch({ new: "yes" }, { isStep: true });
  useOfferActions([{ id: "pass.create", label: w.create, onClick: create }]);
  const createButton = (
    <ScopedButton operation="pass.create" leftSection={<IconPlus size={18} />} onClick={create}>
      {w.create}
    </ScopedButton>
  );
  return (
    <>
      <PageHead
        page={page}
        lead={w.lead}
        actions={
          <>
            <CurlIcon method="GET" path={`/api/${tenantId}/passes`} />
            {createButton}
          </>
        }
      />
      <PassTable key={tenantId} search={search} onSearch={setSearch} createButton={createButton} />
      <Later>
        <CreateDialog
          key={search.new}
          opened={search.new === "yes"}
          onClose={() => setSearch({ new: undefined })}
        />
      </Later>
    </>
  );
}

type TableProps = {
  readonly search: Partial<PassesSearch>;
  readonly onSearch: (change: Partial<PassesSearch>) => void;
  readonly createButton: ReactNode;
};

const FILTER_NAMES = Object.keys(NO_FILTERS) as (keyof typeof NO_FILTERS)[];

function PassTable({ search, onSearch, createButton }: TableProps) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const goTo = useGoTo();
  const fieldName = useFieldName();
  const [clears, setClears] = useState(0);
  const [known, setKnown] = useState<readonly Pass[]>([]);
  const [first, setFirst] = useState<ListPage<Pass>>();
  const fields = useMemo(() => searchableFields(known), [known]);
  const field = search.in ?? fields[0] ?? "id";
  const filters = filtersOf(search);
  const filterOf = (text: string) => textFilter(text, field);
  const isFiltered = FILTER_NAMES.some((name) => search[name] !== undefined);
  // Without a text the field means nothing, and is known only after the first answer.
  const soughtIn = search.q === undefined ? undefined : field;
  const wanted = JSON.stringify([filters, search.q, soughtIn]);
  const picks = usePickedPasses(wanted);
  const clear = () => {
    onSearch(NO_FILTERS);
    setClears(clears + 1);
  };
  const allFilters = [...filters, ...(search.q === undefined ? [] : filterOf(search.q))];
  const example = { additionalData: { firstName: "Camille" } };
  return (
    <PicksContext.Provider value={picks}>
      <FilterBar
        search={search}
        onSearch={onSearch}
        fields={fields}
        field={field}
        isFiltered={isFiltered}
        onClear={clear}
      />
      <BulkBar
        picked={picks.picked}
        isAll={picks.isAll}
        loaded={known}
        first={first}
        filters={allFilters}
        onPick={picks.pick}
        onPickAll={picks.pickAll}
      />
      <ListTable<Pass>
        key={clears}
        name="passes"
        caption={w.caption}
        columns={useColumns()}
        keyOf={({ id }) => id}
        queryKey={[...passesOf(tenantId), filters, soughtIn]}
        live={PASS_EVENTS}
        load={async (wish) => {
          const asked = { ...wish, filters: [...filters, ...(wish.filters ?? [])] };
          const found = await listPasses(tenantId, asked);
          if (wish.cursor === undefined) setFirst(found);
          setKnown((before) =>
            wish.cursor === undefined ? found.items : [...before, ...found.items],
          );
          return found;
        }}
        search={search}
        onSearch={(change) =>
          // What was typed keeps its meaning in the address, whatever is on the screen later.
          onSearch(change.q === undefined ? change : { in: field, ...change })
        }
        filterLabel={w.filterText(fieldName(field))}
        filterOf={filterOf}
        onOpen={({ id }) => goTo(passPage, { passId: id })}
        empty={
          isFiltered ? (
            <NothingFits onClear={clear} />
          ) : (
            <EmptyState
              icon={IconWallet}
              title={w.emptyTitle}
              text={w.emptyText}
              action={createButton}
              command={curlOf({
                method: "POST",
                path: `/api/${tenantId}/passes?passType=loyalty`,
                body: example,
              })}
            />
          )
        }
      />
    </PicksContext.Provider>
  );
}

const NOTHING: ReadonlySet<string> = new Set();

/** The ticked rows. Another filter begins anew, so that nobody changes what they do not see. */
function usePickedPasses(wanted: string) {
  const [state, setState] = useState({ wanted, picked: NOTHING, isAll: false });
  const { picked, isAll } = state.wanted === wanted ? state : { picked: NOTHING, isAll: false };
  return useMemo(() => {
    const pick = (ids: Iterable<string>) =>
      setState({ wanted, picked: new Set(ids), isAll: false });
    return {
      picked,
      isAll,
      pick,
      pickAll: () => setState({ wanted, picked: NOTHING, isAll: true }),
      isPicked: (id: string) => isAll || picked.has(id),
      toggle: (id: string) =>
        pick(picked.has(id) ? [...picked].filter((other) => other !== id) : [...picked, id]),
    };
  }, [picked, isAll, wanted]);
}

function PickBox({ pass }: { readonly pass: Pass }) {
  const w = useWords(words);
  const { isPicked, toggle } = usePicks();
  return (
    <Checkbox
      mt={2}
      checked={isPicked(pass.id)}
      onChange={() => toggle(pass.id)}
      aria-label={w.select(nameOf(pass))}
    />
  );
}

function useColumns(): readonly Column<Pass>[] {
  const w = useWords(words);
  return useMemo(
    () => [
      {
        id: "holder",
        title: w.holder,
        width: "minmax(13rem, 1.8fr)",
        sortField: "id",
        render: (pass) => (
          <div className={classes.first}>
            <PickBox pass={pass} />
            <div style={{ minWidth: 0 }}>
              <span className={classes.name}>{nameOf(pass)}</span>
              <span className={classes.sub}>{pass.id}</span>
            </div>
          </div>
        ),
      },
      {
        id: "passType",
        title: w.passType,
        width: "minmax(6rem, 0.7fr)",
        sortField: "passType",
        render: ({ passType }) => <Text size="sm">{passType}</Text>,
      },
      {
        id: "status",
        title: w.status,
        width: "minmax(6rem, 0.6fr)",
        sortField: "status",
        render: ({ status }) => <StatusMark status={status} />,
      },
      {
        id: "wallets",
        title: w.wallets,
        width: "minmax(9rem, 1.1fr)",
        sortField: "installationStatus",
        render: ({ providers }) => <WalletMarks providers={providers} />,
      },
      {
        id: "created",
        title: w.created,
        width: "minmax(7rem, 0.8fr)",
        sortField: "creationDate",
        render: ({ creationDate }) => <Moment iso={creationDate} />,
      },
      {
        id: "identifiers",
        title: w.identifiers,
        width: "minmax(10rem, 1.2fr)",
        isExtra: true,
        render: (pass) => <Text size="sm">{identifiersOf(pass)}</Text>,
      },
      {
        id: "updated",
        title: w.updated,
        width: "minmax(7rem, 0.8fr)",
        sortField: "lastUpdateDate",
        isExtra: true,
        render: ({ lastUpdateDate }) => <Moment iso={lastUpdateDate} />,
      },
      {
        id: "expires",
        title: w.expires,
        width: "minmax(7rem, 0.8fr)",
        sortField: "expirationDate",
        isExtra: true,
        render: ({ expirationDate }) => <Moment iso={expirationDate} />,
      },
    ],
    [w],
  );
}

function Moment({ iso }: { readonly iso: string | null }) {
  const w = useWords(words);
  const format = useFormat();
  if (iso === null) {
    return (
      <Text size="sm" c="dimmed">
        {w.never}
      </Text>
    );
  }
  // A tooltip of the browser costs nothing, and rows are drawn while somebody scrolls.
  return (
    <Text size="sm" title={format.moment(iso)}>
      {format.ago(iso)}
    </Text>
  );
}
