import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ComponentProps, ReactNode } from "react";
import { useCallback } from "react";
import type { AnyPage, PageDefinition, Search } from "./page.ts";
import { pageById } from "./pages.ts";
import type { ToastLink } from "./parts/toast.tsx";
import { basePath } from "./settings.ts";
import { useText } from "./words/language.ts";

/** The tenant on the screen. */
export function useTenantId(): string {
  const { tenantId } = useParams({ strict: false }) as { tenantId?: string };
  if (tenantId === undefined) throw new Error("This part is shown within a tenant only.");
  return tenantId;
}

const PATH_PART = /\$(\w+)/g;

/** The address of a page, with those of the values that stand in its path. */
function addressOf(tenantId: string, { path }: AnyPage, values: Search): string {
  const filled = path.replace(PATH_PART, (_, name: string) =>
    encodeURIComponent(values[name] ?? ""),
  );
  return filled === "" ? `/${tenantId}` : `/${tenantId}/${filled}`;
}

/** Those of the values that stand behind the question mark. */
function searchOf({ path }: AnyPage, values: Search): Search {
  const inPath = [...path.matchAll(PATH_PART)].map(([, name]) => name);
  return Object.fromEntries(Object.entries(values).filter(([name]) => !inPath.includes(name)));
}

/** Goes to a page of the tenant on the screen. */
export function useGoTo() {
  const navigate = useNavigate();
  const { tenantId = "" } = useParams({ strict: false }) as { tenantId?: string };
  return useCallback(
    <PageSearch extends Search>(
      page: PageDefinition<PageSearch>,
      search: Partial<PageSearch> = {},
    ) => {
      void navigate({
        to: addressOf(tenantId, page, search as Search),
        search: searchOf(page, search as Search) as never,
      });
    },
    [navigate, tenantId],
  );
}

/** A link to a page, if there is one with this id, for messages, which are drawn outside the pages. */
export function useToastLink() {
  const goTo = useGoTo();
  const tenantId = useTenantId();
  const text = useText();
  return (id: string, search: Search = {}): ToastLink | undefined => {
    const page = pageById(id);
    if (page === undefined) return undefined;
    const behind = Object.entries(searchOf(page, search)) as [string, string][];
    const question = behind.length === 0 ? "" : `?${new URLSearchParams(behind)}`;
    return {
      label: text(page.title),
      href: `${basePath}${addressOf(tenantId, page, search)}${question}`,
      follow: () => goTo(page, search),
    };
  };
}

type PageLinkProps<PageSearch extends Search> = {
  readonly page: PageDefinition<PageSearch>;
  readonly search?: Partial<PageSearch>;
  readonly children: ReactNode;
} & Pick<ComponentProps<"a">, "className" | "onClick" | "aria-label">;

/** A link to a page of the tenant on the screen. */
export function PageLink<PageSearch extends Search>({
  page,
  search = {},
  ...rest
}: PageLinkProps<PageSearch>) {
  const tenantId = useTenantId();
  return (
    <Link
      to={addressOf(tenantId, page, search as Search)}
      search={searchOf(page, search as Search) as never}
      activeOptions={{ exact: page.path === "", includeSearch: false }}
      {...rest}
    />
  );
}

/** What the address says behind the question mark, and how to change it. */
export function usePageSearch<PageSearch extends Search>(page: PageDefinition<PageSearch>) {
  const search = useSearch({ strict: false }) as Partial<PageSearch>;
  const { tenantId: _tenant, ...inPath } = useParams({ strict: false }) as Record<string, string>;
  const navigate = useNavigate();
  const address = addressOf(useTenantId(), page, inPath);
  const setSearch = useCallback(
    (change: Partial<PageSearch>, options: { isStep?: boolean } = {}) => {
      void navigate({
        to: address,
        search: ((old: object) => ({ ...old, ...change })) as never,
        // Typing into a filter is not a step that the back button should undo letter by letter.
        replace: options.isStep !== true,
      });
    },
    [navigate, address],
  );
  return [{ ...search, ...inPath } as Partial<PageSearch>, setSearch] as const;
}
