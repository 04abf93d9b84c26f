import { Button, Loader } from "@mantine/core";
import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  Outlet,
  useMatch,
} from "@tanstack/react-router";
import { useMissingScope } from "./api/rights.ts";
import { ChooseTenant } from "./frame/choose-tenant.tsx";
import { Nowhere } from "./frame/nowhere.tsx";
import { TenantGate } from "./frame/tenant-gate.tsx";
import { words } from "./frame/words.ts";
import { useTenantId } from "./navigation.tsx";
import type { AnyPage, Search } from "./page.ts";
import { contentOf, loadPage, PageNotLoaded, pages } from "./pages.ts";
import { EmptyPage } from "./parts/empty-state.tsx";
import { ErrorDisplay } from "./parts/error-display.tsx";
import { words as partWords } from "./parts/words.ts";
import { basePath } from "./settings.ts";
import { useText, useWords } from "./words/language.ts";

/** Stands for what belongs to no tenant; it comes with the role. */
const PLATFORM_SCOPE = "platform:admin";

const root = createRootRoute({ component: Outlet, notFoundComponent: NothingHere });

const first = createRoute({ getParentRoute: () => root, path: "/", component: ChooseTenant });

const tenant = createRoute({
  getParentRoute: () => root,
  path: "$tenantId",
  component: TenantGate,
  // Within the frame, whose navigation leads on.
  notFoundComponent: NotFound,
});

function routeOf(page: AnyPage) {
  return createRoute({
    getParentRoute: () => tenant,
    path: page.path === "" ? "/" : page.path,
    component: PageContent,
    staticData: { page },
    // The code of a page is fetched when somebody points at a link to it, and is there before the page is shown.
    loader: () => loadPage(page),
    validateSearch: (raw: Record<string, unknown>): Search => readSearch(page, raw),
  });
}

/** The page at this address, or why the person cannot see it. */
function PageContent() {
  const { page } = useMatch({ strict: false }).staticData as { page: AnyPage };
  const missing = useMissingScope(page.needs);
  const text = useText();
  const w = useWords(words);
  const Content = contentOf(page);
  if (missing !== undefined) {
    const reason = missing === PLATFORM_SCOPE ? w.globalOnlyPage : w.lacksPage(missing);
    return <EmptyPage icon={page.icon} title={text(page.title)} text={reason} />;
  }
  return <Content />;
}

/** The address is typed by people, so what does not belong there is dropped. */
function readSearch({ search }: AnyPage, raw: Record<string, unknown>): Search {
  const known = search as readonly string[];
  return Object.fromEntries(
    known.filter((name) => raw[name] !== undefined).map((name) => [name, String(raw[name])]),
  );
}

function Waiting() {
  const w = useWords(partWords);
  return <Loader type="dots" m="xl" role="status" aria-label={w.loading} />;
}

/** An error while a page was loaded or drawn. */
function Failed({ error }: { readonly error: unknown }) {
  const w = useWords(words);
  const text = error instanceof PageNotLoaded ? new Error(w.pageNotLoaded) : error;
  return <ErrorDisplay error={text} onRetry={() => void router.invalidate()} />;
}

function NotFound() {
  const w = useWords(words);
  const tenantId = useTenantId();
  return (
    <EmptyPage
      title={w.notFound}
      text={w.notFoundText}
      action={
        <Button component={Link} to={`/${tenantId}`}>
          {w.toOverview}
        </Button>
      }
    />
  );
}

/** An address that cannot be read, such as `/%ff`, has no tenant either. */
function NothingHere() {
  const w = useWords(words);
  return <Nowhere title={w.notFound} text={w.notFoundText} />;
}

export const router = createRouter({
  routeTree: root.addChildren([first, tenant.addChildren(pages.map(routeOf))]),
  basepath: basePath,
  // Plain texts, as `?days=30`: the router itself would put quotation marks around the number.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const told = Object.entries(search).filter(([, value]) => value !== undefined);
    const text = new URLSearchParams(told.map(([name, value]) => [name, String(value)])).toString();
    return text === "" ? "" : `?${text}`;
  },
  defaultPreload: "intent",
  defaultPendingComponent: Waiting,
  defaultErrorComponent: Failed,
});
