import { plugDocs } from "#kernel/http/docs/docs.ts";
import { createOpenApiRoutes } from "#kernel/http/openapi/openapi.routes.ts";
import { defineModule, type Module } from "#kernel/module.ts";
import { type ApiDocumentParts, buildApiDocument } from "./api-document.ts";

/** The API describing itself: `/openapi.json` for programs, `/docs` for people. */
export function createDescriptionModule(parts: () => ApiDocumentParts): Module {
  return defineModule({
    name: "description",
    routes: createOpenApiRoutes((baseUrl) => buildApiDocument({ ...parts(), baseUrl })),
    plug: plugDocs,
  });
}
