import { Text } from "@mantine/core";
import { IconQrcode } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { ListPage } from "../parts/list-page.tsx";
import type { Column } from "../parts/table/column.ts";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import classes from "./enrolment-links.module.css";
import { type EnrolmentLink, getLink, LINK_EVENTS, linksOf, listLinks } from "./link.ts";
import { CreateDialog, EditDialog } from "./link-dialogs.tsx";
import { LinkDrawer } from "./link-drawer.tsx";
import { LinkState } from "./link-state.tsx";
import { page } from "./page.ts";
import { words } from "./words.ts";

const EXAMPLE = { code: "marais-door", passType: "loyalty", source: "Poster at the door" };

export function Page() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const path = `/api/${tenantId}/enrolment-links`;
  return (
    <ListPage<EnrolmentLink>
      page={page}
      words={w}
      path={path}
      icon={IconQrcode}
      create={{
        operation: "enrolment-link.create",
        label: w.create,
        example: { method: "POST", path, body: EXAMPLE },
      }}
      above={<OpenedLink />}
      columns={useColumns()}
      keyOf={({ code }) => code}
      queryKey={[...linksOf(tenantId), "list"]}
      live={LINK_EVENTS}
      load={(wish) => listLinks(tenantId, wish)}
      search={search}
      onSearch={setSearch}
      filterOf={(value) => [{ field: "code", operator: "contains", value }]}
      onOpen={({ code }) => setSearch({ link: code }, { isStep: true })}
    >
      <CreateDialog
        key={search.new}
        opened={search.new === "yes"}
        onClose={() => setSearch({ new: undefined })}
        onMade={({ code }) => setSearch({ new: undefined, link: code })}
      />
    </ListPage>
  );
}

/** The link that the address names. */
function OpenedLink() {
  const tenantId = useTenantId();
  const [search, setSearch] = usePageSearch(page);
  const code = search.edit ?? search.link;
  const { data: link, error } = useQuery({
    queryKey: [...linksOf(tenantId), "one", code],
    queryFn: () => getLink(tenantId, code ?? ""),
    enabled: code !== undefined,
    meta: { live: LINK_EVENTS },
  });
  if (code === undefined) return undefined;
  return (
    <>
      {search.link === undefined ? (
        <ErrorDisplay error={error} />
      ) : (
        <LinkDrawer
          link={link}
          error={error}
          onClose={() => setSearch({ link: undefined })}
          onEdit={() => setSearch({ edit: code }, { isStep: true })}
        />
      )}
      {link !== undefined && search.edit !== undefined && (
        <EditDialog link={link} onClose={() => setSearch({ edit: undefined })} />
      )}
    </>
  );
}

function useColumns(): readonly Column<EnrolmentLink>[] {
  const w = useWords(words);
  const format = useFormat();
  return useMemo(
    () => [
      {
        id: "code",
        title: w.code,
        width: "minmax(11rem, 1.5fr)",
        sortField: "code",
        render: ({ code, source }) => (
          <>
            <span className={classes.name}>{code}</span>
            <span className={classes.quiet}>{source}</span>
          </>
        ),
      },
      {
        id: "state",
        title: w.state,
        width: "minmax(6rem, 0.7fr)",
        sortField: "enabled",
        render: (link) => <LinkState link={link} />,
      },
      {
        id: "passType",
        title: w.passType,
        width: "minmax(8rem, 1fr)",
        sortField: "passType",
        render: ({ passType }) => <Text size="sm">{passType}</Text>,
      },
      {
        id: "store",
        title: w.store,
        width: "minmax(8rem, 1fr)",
        sortField: "storeId",
        render: ({ storeId }) => <Text size="sm">{storeId ?? "—"}</Text>,
      },
      {
        id: "visits",
        title: w.visits,
        width: "minmax(5rem, 0.6fr)",
        sortField: "visits",
        render: ({ visits }) => <Text size="sm">{format.number(visits)}</Text>,
      },
      {
        id: "enrolments",
        title: w.enrolments,
        width: "minmax(5rem, 0.6fr)",
        sortField: "enrolments",
        render: ({ enrolments }) => <Text size="sm">{format.number(enrolments)}</Text>,
      },
      {
        id: "created",
        title: w.created,
        width: "minmax(7rem, 0.8fr)",
        isExtra: true,
        sortField: "createdAt",
        render: ({ createdAt }) => <Text size="sm">{format.day(createdAt)}</Text>,
      },
    ],
    [w, format],
  );
}
