import { answer, defineRoute } from "#kernel/http/route.ts";
import { getPass, PassParams, passNotFound } from "#src/passes/public.ts";
import { contentNotFound } from "./content.errors.ts";
import { CONTENT_EXAMPLE, ContentQuery, ContentView, presentContent } from "./content.schema.ts";
import { contentCacheOf, contentOf, inLanguage } from "./content.service.ts";
import { explainContent } from "./explanation/explanation.service.ts";

export const contentGet = defineRoute({
  op: "content.get",
  method: "GET",
  url: "/api/:tenantId/passes/:passId/content",
  scope: "Pass.Read",
  summary: "See what a pass says",
  description:
    "Every text of the pass as its holder reads it, made by the published template: what a preview shows, and what both wallets are given in their own forms. With `explain=true` also, for every text and wallet, what it was made of, where it stands and why it is not shown; such an answer has no ETag.",
  params: PassParams,
  query: ContentQuery,
  reply: ContentView,
  replyHeaders: ["ETag"],
  errors: [passNotFound, contentNotFound],
  example: { reply: CONTENT_EXAMPLE },
  async handle(context, { params, query }) {
    // Taken before the pass is read: a pass that was erased before a clearing must not be cached.
    const { clearings } = contentCacheOf(context.runtime);
    const pass = await getPass(context, params.passId);
    const content = await contentOf(context, pass, clearings);
    const rendered = inLanguage(content, query.locale);
    const { configurationVersion, privilegesVersion } = content;
    const versions = [pass.version, configurationVersion, privilegesVersion];
    const version = [pass.id, ...versions, rendered.language].join(".");
    const shown = presentContent(pass, content, rendered);
    if (query.explain !== true) return answer(shown, { version });
    const explanation = await explainContent(context, pass, content, rendered);
    // The rules of wallets may change with a release, so an explanation has no ETag.
    return { ...shown, explanation };
  },
});
