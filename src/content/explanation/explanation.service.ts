import type { TenantContext } from "#kernel/context.ts";
import type { Pass } from "#src/passes/public.ts";
import type { RenderedPass } from "#src/templates/public.ts";
import type { PassContent } from "../content.service.ts";
import { explainFor } from "./explanation.build.ts";
import { contentExplainers } from "./explanation.port.ts";
import type { ContentExplanation } from "./explanation.schema.ts";

/** Tells what each wallet makes of a pass, in the language of this rendering. */
export async function explainContent(
  { runtime, clock }: TenantContext,
  pass: Pass,
  content: PassContent,
  rendered: RenderedPass,
): Promise<ContentExplanation> {
  const sources = await content.template.sources();
  const { data, status, expiresAt, hasOwnExpiry } = pass;
  const isOver = status !== "active" || (expiresAt !== null && expiresAt <= clock.now());
  const input = { content, rendered, sources, facts: { data, isOver }, hasOwnExpiry };
  const explanation: ContentExplanation = { apple: [], google: [] };
  for (const explainer of runtime.ports.all(contentExplainers)) {
    explanation[explainer.wallet] = explainFor(explainer, input);
  }
  return explanation;
}
