import type { TenantContext } from "#kernel/context.ts";
import { SYSTEM_SCOPE } from "#kernel/db/scope.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import { runInTenant } from "#kernel/jobs/run-in-tenant.ts";
import { holdPasses, type Pass, type PassTypes, passTypesOf } from "#src/passes/public.ts";
import { newestConfigurationOf } from "#src/tenants/public.ts";
import { contentOf } from "../content.service.ts";
import { refreshCodes } from "./code.queue.ts";
import * as codes from "./code.repository.ts";
import { codesBy, fingerprintOf, worthNoting } from "./code.rules.ts";

const WALK_BATCH = 500;
const DUE_BATCH = 50;

/**
 * Notes the codes of passes that already exist: all of them after a publication changed how codes
 * are made, and those whose codes could not be made in the transaction that wrote the pass. By
 * schedule it finishes what an earlier run left.
 */
export const refreshCodesJob = defineJob({
  ...refreshCodes,
  cron: "*/10 * * * *",
  concurrency: 1,
  timeoutSeconds: 3_600,
  async run(context, _payload, signal) {
    const tenants =
      context.tenantId === SYSTEM_SCOPE
        ? await codes.listUnfinishedTenants(context)
        : [context.tenantId];
    for (const tenantId of tenants) {
      await runInTenant(context, tenantId, (tenant) => refreshTenant(tenant, signal));
    }
  },
});

async function refreshTenant(context: TenantContext, signal: AbortSignal): Promise<void> {
  const { version } = await newestConfigurationOf(context);
  const types = await passTypesOf(context);
  await noteDue(context, types, signal);
  await walk(context, { version, types }, signal);
}

async function noteDue(
  context: TenantContext,
  types: PassTypes,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const due = await codes.listDue(context, DUE_BATCH);
    if (due.length === 0) return;
    const ids = due.map(({ passId }) => passId);
    await note(context, types, await codes.listPassesById(context, ids));
    await context.transaction(async (tx) => codes.deleteDue(tx, due));
  }
}

/** Passes whose code is their id need no walk: they are found by it anyway. */
const CODE_IS_ID = /^\{\{\s*pass\.id\s*\}\}$/;

/** Before the fingerprint of a type that is being walked: its passes are not all noted yet. */
const UNDER_WAY = "~";

type PublishedTypes = { readonly version: number; readonly types: PassTypes };

/**
 * Ends when another version is published: that publication has a run of its own, also on another node, which
 * goes on from the place that is noted and has the last word on what was walked.
 */
async function walk(
  context: TenantContext,
  { version, types }: PublishedTypes,
  signal: AbortSignal,
): Promise<void> {
  const known = await codes.findWalk(context);
  const rules = rulesOf(types);
  if (known?.after === null && isSame(known.rules, rules)) return;
  // Types whose rules changed, and those that an earlier walk had not finished.
  const walked = Object.keys(rules).filter((name) => known?.rules[name] !== rules[name]);
  const marked = { ...rules };
  for (const name of walked) marked[name] = `${UNDER_WAY}${rules[name]}`;
  const isResumed = known !== undefined && isSame(known.rules, marked);
  let after: string | null = walked.length === 0 ? null : ((isResumed ? known.after : null) ?? "");
  let isInForce = await noteWalk(after);
  while (after !== null && isInForce) {
    signal.throwIfAborted();
    const batch: Pass[] = await codes.listPassesAfter(context, after, WALK_BATCH);
    await note(
      context,
      types,
      batch.filter(({ passType }) => walked.includes(passType)),
    );
    const next: string | null = batch.length < WALK_BATCH ? null : (batch.at(-1)?.id ?? null);
    after = next;
    isInForce = await noteWalk(next);
  }

  function noteWalk(place: string | null): Promise<boolean> {
    const noted = { rules: place === null ? rules : marked, after: place };
    return context.transaction((tx) => codes.upsertWalk(tx, version, noted));
  }
}

function rulesOf(types: PassTypes): Record<string, string> {
  const rules: Record<string, string> = {};
  for (const name of types.names) {
    const type = types.find(name);
    const texts = type?.published.codeTexts ?? [];
    if (type === undefined || texts.every((text) => CODE_IS_ID.test(text.trim()))) continue;
    rules[name] = fingerprintOf(type);
  }
  return rules;
}

function isSame(left: Readonly<Record<string, string>>, right: typeof left): boolean {
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length && names.every((name) => left[name] === right[name])
  );
}

async function note(
  context: TenantContext,
  types: PassTypes,
  passes: readonly Pass[],
): Promise<void> {
  const made: codes.NewCode[] = [];
  for (const pass of passes) {
    const type = types.find(pass.passType);
    if (type === undefined) continue;
    const found = codesBy(type, pass);
    // Rendering notes the codes by itself.
    if (found === undefined) await contentOf(context, pass);
    else {
      const wanted = worthNoting(pass.id, found);
      made.push(...wanted.map((code) => ({ passId: pass.id, code, issuedAt: pass.updatedAt })));
    }
  }
  if (made.length === 0) return;
  await context.transaction(async (tx) => {
    holdPasses(tx, [...new Set(made.map(({ passId }) => passId))]);
    codes.insertCodesOfKnown(tx, made);
  });
}
