import { setTimeout as sleep } from "node:timers/promises";
import type { TenantContext } from "#kernel/context.ts";
import { ProblemError } from "#kernel/errors.ts";
import { parseStrictJson } from "#kernel/http/json/strict-json.ts";
import { definePort } from "#kernel/port.ts";
import type { Pass } from "./pass.schema.ts";

/**
 * An outside system that has data about the holders of passes; asked when a change has the option
 * `UpdateMetadata`.
 */
export type MetadataSource = {
  /** The member of `metadata` that holds the source's answers. */
  readonly name: string;
  /** Undefined if the source knows nothing about this pass: its earlier answer stays. */
  fetch(
    context: TenantContext,
    pass: Pass,
    signal: AbortSignal,
  ): Promise<Record<string, unknown> | undefined>;
};

export type SourceFailure = { readonly source: string; readonly message: string };

/** The answers of all sources about one pass. */
export type Delivered = {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly failures: readonly SourceFailure[];
};

const TIMEOUT_MS = 10_000;
const AT_ONCE_MAX = 25;
const DELIVERED_BYTES_MAX = 65_536;
const DELIVERED_DEPTH_MAX = 10;

export const metadataSources = definePort<MetadataSource>("metadata source");

export function hasMetadataSources({ runtime }: Pick<TenantContext, "runtime">): boolean {
  return runtime.ports.all(metadataSources).length > 0;
}

/** Asks every source about every pass. No transaction may be open, because sources may be slow. */
export async function askSources(
  context: TenantContext,
  passes: readonly Pass[],
  signal?: AbortSignal,
): Promise<Map<string, Delivered>> {
  const sources = context.runtime.ports.all(metadataSources);
  const answers = new Map<string, Delivered>();
  const waiting = [...passes];
  const work = async (): Promise<void> => {
    for (let pass = waiting.shift(); pass !== undefined; pass = waiting.shift()) {
      answers.set(pass.id, await askAll(context, sources, pass, signal));
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE_MAX, passes.length) }, work));
  return answers;
}

async function askAll(
  context: TenantContext,
  sources: readonly MetadataSource[],
  pass: Pass,
  signal: AbortSignal | undefined,
): Promise<Delivered> {
  const metadata: [string, unknown][] = [];
  const failures: SourceFailure[] = [];
  const ask = async (source: MetadataSource): Promise<void> => {
    try {
      const said = await askInTime(context, source, pass, signal);
      if (said !== undefined) metadata.push([source.name, said]);
    } catch (error) {
      const facts = { err: error, source: source.name, passId: pass.id };
      context.log.warn(facts, "a source of metadata failed");
      failures.push({ source: source.name, message: explain(source, error) });
    }
  };
  await Promise.all(sources.map(ask));
  return { metadata: Object.fromEntries(metadata), failures };
}

/** Why a source delivers nothing, in words for callers: they follow "Source 'crm'". */
export class SourceProblem extends Error {}

/** A source that ignores its signal must not delay the others. */
async function askInTime(
  context: TenantContext,
  source: MetadataSource,
  pass: Pass,
  stop: AbortSignal | undefined,
): Promise<Record<string, unknown> | undefined> {
  const finished = new AbortController();
  const late = new AbortController();
  const signal = AbortSignal.any(stop === undefined ? [late.signal] : [late.signal, stop]);
  const overdue = async (): Promise<never> => {
    await sleep(TIMEOUT_MS, undefined, { signal: AbortSignal.any([finished.signal, signal]) });
    late.abort();
    throw new SourceProblem(`did not answer within ${TIMEOUT_MS / 1_000} seconds`);
  };
  try {
    const said = await Promise.race([source.fetch(context, pass, signal), overdue()]);
    return said === undefined ? undefined : toStorable(said);
  } finally {
    finished.abort();
  }
}

/**
 * Refuses what PostgreSQL would refuse, and what is too much, so that the failure concerns one source
 * only.
 */
export function toStorable(said: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const bytes = Buffer.from(JSON.stringify(said) ?? "null");
  if (bytes.length > DELIVERED_BYTES_MAX) {
    throw new SourceProblem(`delivered more than ${DELIVERED_BYTES_MAX} bytes`);
  }
  const read = parseStrictJson(bytes, { depth: DELIVERED_DEPTH_MAX });
  if (!read.ok || typeof read.value !== "object" || read.value === null) {
    throw new SourceProblem("delivered what cannot be stored");
  }
  return read.value as Record<string, unknown>;
}

/**
 * Errors of other systems may contain anything, so callers only see messages that were written for
 * them.
 */
function explain({ name }: MetadataSource, error: unknown): string {
  const isMeant = error instanceof SourceProblem || error instanceof ProblemError;
  return `Source '${name}' ${isMeant ? error.message : "could not be asked"}.`;
}
