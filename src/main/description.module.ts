import { plugDocs } from "#kernel/http/docs/docs.ts";
import {
  createOpenApiRoutes,
  type DocumentAddresses,
} from "#kernel/http/openapi/openapi.routes.ts";
import type { TokenSource } from "#kernel/http/openapi/security.ts";
import { defineModule, type Module } from "#kernel/module.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { createTokenSourceFinder, findDocsClient } from "#src/access/public.ts";
import { type ApiDocumentParts, buildApiDocumentInSteps } from "./api-document.ts";
import { plugFrontPage } from "./front-page.ts";

/** The API's description: `/openapi.json` for programs, `/docs` for people. */
export function createDescriptionModule(parts: () => ApiDocumentParts): Module {
  const routes = createOpenApiRoutes(findAddresses, (addresses) =>
    buildApiDocumentInSteps({ ...parts(), ...addresses }),
  );
  return defineModule({
    name: "description",
    routes,
    plug(app, runtime) {
      plugDocs(app, {
        findAddresses: () => findAddresses(runtime),
        client: findDocsClient(runtime),
      });
      plugFrontPage(app);
    },
  });
}

/**
 * Finds the source of tokens; undefined if our own authorization server issues them, which the
 * document describes anyway.
 */
const tokenSourceFinderOf = perRuntime((runtime): (() => Promise<TokenSource | undefined>) => {
  const { authIssuer } = runtime;
  if (authIssuer === undefined) return async () => undefined;
  return createTokenSourceFinder(runtime, authIssuer);
});

async function findAddresses(runtime: Runtime): Promise<DocumentAddresses> {
  const { baseUrl } = runtime;
  const tokenSource = await tokenSourceFinderOf(runtime)();
  return tokenSource === undefined ? { baseUrl } : { baseUrl, tokenSource };
}
