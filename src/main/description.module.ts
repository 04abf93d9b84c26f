import { plugDocs } from "#kernel/http/docs/docs.ts";
import { createOpenApiRoutes, type DocumentPlace } from "#kernel/http/openapi/openapi.routes.ts";
import type { TokenSource } from "#kernel/http/openapi/security.ts";
import { defineModule, type Module } from "#kernel/module.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { createTokenSourceFinder, findDocsClient } from "#src/access/public.ts";
import { type ApiDocumentParts, buildApiDocument } from "./api-document.ts";
import { plugFrontPage } from "./front-page.ts";

/** The API describing itself: `/openapi.json` for programs, `/docs` for people. */
export function createDescriptionModule(parts: () => ApiDocumentParts): Module {
  const findPlace = createPlaceFinder();
  return defineModule({
    name: "description",
    routes: createOpenApiRoutes(findPlace, (place) => buildApiDocument({ ...parts(), ...place })),
    plug(app, runtime) {
      plugDocs(app, { findPlace: () => findPlace(runtime), client: findDocsClient(runtime) });
      plugFrontPage(app);
    },
  });
}

function createPlaceFinder(): (runtime: Runtime) => Promise<DocumentPlace> {
  // One process has one issuer; tests have several.
  const finders = new Map<string, () => Promise<TokenSource>>();
  return async (runtime) => {
    const { authIssuer, baseUrl } = runtime;
    if (authIssuer === undefined) return { baseUrl };
    const find = finders.get(authIssuer) ?? createTokenSourceFinder(runtime, authIssuer);
    finders.set(authIssuer, find);
    return { baseUrl, tokenSource: await find() };
  };
}
