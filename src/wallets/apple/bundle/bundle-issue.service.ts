import type { TenantContext } from "#kernel/context.ts";
import type { Pass } from "#src/passes/public.ts";
import { noteIssued } from "../deliveries/delivery.service.ts";
import { findIssue } from "./bundle.repository.ts";
import {
  type AppleBundle,
  type ApplePasses,
  appleBundleWith,
  applePassesOf,
} from "./bundle.service.ts";

/** The bundle of a pass for a holder, and a note that it was given out. */
export async function issueBundle(context: TenantContext, pass: Pass): Promise<AppleBundle> {
  const { state, message } = await findIssue(context, pass.id);
  const bundle = await appleBundleWith(context, pass, message);
  await noteIssued(context, pass, bundle, state);
  return bundle;
}

/** The same for several passes in one file. */
export async function issuePasses(
  context: TenantContext,
  passes: readonly Pass[],
): Promise<ApplePasses> {
  const made = await applePassesOf(context, passes);
  for (const { pass, bundle } of made.bundles) {
    const { state } = await findIssue(context, pass.id);
    await noteIssued(context, pass, bundle, state);
  }
  return made;
}
