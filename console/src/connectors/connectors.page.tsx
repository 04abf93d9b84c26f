import { usePageSearch, useTenantId } from "../navigation.tsx";
import { CurlIcon } from "../parts/copy.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { useWords } from "../words/language.ts";
import { ConnectorDetail } from "./detail.tsx";
import { Gallery } from "./gallery.tsx";
import { page } from "./page.ts";
import { SimulatorLink } from "./simulator-link.tsx";
import { words } from "./words.ts";

export function Page() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [{ name }] = usePageSearch(page);
  if (name !== undefined) return <ConnectorDetail key={`${tenantId} ${name}`} name={name} />;
  return (
    <>
      <PageHead
        page={page}
        lead={w.lead}
        actions={
          <>
            <SimulatorLink />
            <CurlIcon method="GET" path={`/api/${tenantId}/admin/extensions`} />
          </>
        }
      />
      <Gallery />
    </>
  );
}
