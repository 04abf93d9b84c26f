import { IconPlus } from "@tabler/icons-react";
import type { ComponentType, ReactNode } from "react";
import { type CurlRequest, curlOf } from "../api/curl.ts";
import { type Operation, useMissingScope } from "../api/rights.ts";
import { useOfferActions } from "../frame/page-actions.ts";
import type { AnyPage } from "../page.ts";
import { CurlIcon } from "./copy.tsx";
import { EmptyState } from "./empty-state.tsx";
import { Later } from "./later.tsx";
import { PageHead } from "./page-head.tsx";
import { ScopedButton } from "./scoped.tsx";
import type { ListSearch } from "./table/list.ts";
import { ListTable, type ListTableProps } from "./table/list-table.tsx";

type Icon = ComponentType<{ size?: number; stroke?: number }>;

/** What every page of this kind says. */
type Words = {
  readonly lead: string;
  readonly caption: string;
  readonly filter: string;
  readonly emptyTitle: string;
  readonly emptyText: string;
};

type Create = {
  readonly label: string;
  readonly icon?: Icon;
  /** What the dialog does at the API. */
  readonly operation: Operation;
  /** Whose scope tells whether somebody may do it, if it is not that of the operation. */
  readonly allowedBy?: Operation;
  /** The same from a terminal. */
  readonly example: CurlRequest;
};

type Change = ListSearch & { readonly new?: string | undefined };

type Given = "name" | "caption" | "filterLabel" | "empty" | "onSearch";

type Props<Item> = Omit<ListTableProps<Item>, Given> & {
  readonly page: AnyPage;
  readonly words: Words;
  /** Where the API lists the same. */
  readonly path: string;
  readonly icon: Icon;
  readonly create: Create;
  readonly onSearch: (change: Change, options?: { isStep?: boolean }) => void;
  /** Further buttons beside the one that creates. */
  readonly actions?: ReactNode;
  /** What stands between the head and the list. */
  readonly above?: ReactNode;
  /** Dialogs. The one that creates is open while the address says `new=yes`. */
  readonly children: ReactNode;
};

/** A page with a list that one can add to: head, list, and what an empty list teaches. */
export function ListPage<Item>(props: Props<Item>) {
  const { page, words: w, path, icon, create, actions, above, children, ...list } = props;
  const { label, icon: CreateIcon = IconPlus, operation, allowedBy = operation, example } = create;
  const begin = () => props.onSearch({ new: "yes" }, { isStep: true });
  const isAllowed = useMissingScope(allowedBy) === undefined;
  useOfferActions(isAllowed ? [{ id: operation, label, onClick: begin }] : []);
  const button = (
    <ScopedButton operation={allowedBy} leftSection={<CreateIcon size={18} />} onClick={begin}>
      {label}
    </ScopedButton>
  );
  return (
    <>
      <PageHead
        page={page}
        lead={w.lead}
        actions={
          <>
            <CurlIcon method="GET" path={path} />
            {actions}
            {button}
          </>
        }
      />
      {above}
      <ListTable<Item>
        {...list}
        name={page.id}
        caption={w.caption}
        filterLabel={w.filter}
        empty={
          <EmptyState
            icon={icon}
            title={w.emptyTitle}
            text={w.emptyText}
            action={button}
            command={curlOf(example)}
          />
        }
      />
      <Later>{children}</Later>
    </>
  );
}
