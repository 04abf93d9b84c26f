import { systemCall } from "#kernel/call.ts";
import { type SteadyClock, steadyClock } from "#kernel/clock.ts";
import type { TenantContext } from "#kernel/context.ts";
import { ProblemError } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
import type { Lease } from "#kernel/work/lease.ts";
import { WorkLoop } from "#kernel/work/work-loop.ts";
import { importContentsGone } from "../files/file.errors.ts";
import { LEASE_SECONDS } from "../files/file.limits.ts";
import { IMPORT_HINT } from "../files/file.signal.ts";
import { findNextReadyAt, listTenantsWithFiles } from "../files/file-claim.repository.ts";
import {
  CANCELLED,
  type ClaimedFile,
  ClaimLost,
  claimNextFile,
  failImport,
  finishImport,
  releaseFile,
  renewClaims,
} from "../files/file-claim.service.ts";
import { mappingGroundOf } from "../mapping/mapping.service.ts";
import { UnreadableFile } from "../unreadable-file.ts";
import { importRows, STOPPED, TooManyFaults, type Trouble } from "./row-batch.service.ts";
import { type RowBatch, RowSource } from "./row-source.service.ts";

const OP = "import.run";
const TENANTS_AT_ONCE = 2;
/** More at once makes an import no faster, and those who read wait longer. */
const BATCH_ROWS = 200;
/** So long a tenant has its turn; then others come, and it goes on after them. */
const TURN_MS = 1_000;
const SWEEP_MS = 5_000;
/** A turn rarely takes two seconds; this is for a slow database. */
const FINISH_MS = 20_000;

/** Batches are read ahead for so many files at most: each of them keeps one in memory. */
const AHEAD_MAX = 4;

/** A file that this process imports. It keeps it from turn to turn, with the place of the reading. */
type OwnFile = {
  claimed: ClaimedFile;
  source: RowSource | undefined;
  /** Rows that were read. Those that the file does not count yet come before all others. */
  batch: RowBatch | undefined;
  readonly trouble: Trouble;
};
type Turn = { readonly context: TenantContext; readonly own: OwnFile };

/**
 * Imports files, in every worker process: of each tenant one at a time, and the tenants in turn. A
 * batch of rows, what became of them and how far the file has come are one transaction, so every row
 * is done exactly once, whoever dies when. The next process reads the file from its start and passes
 * over the rows that are done.
 */
export class ImportEngine {
  readonly #runtime: Runtime;
  readonly #clock: SteadyClock;
  readonly #loop: WorkLoop<Turn>;
  /** By tenant. */
  readonly #own = new Map<string, OwnFile>();
  readonly #dueAt = new Map<string, number>();

  constructor(runtime: Runtime, clock: SteadyClock = steadyClock) {
    this.#runtime = runtime;
    this.#clock = clock;
    this.#loop = new WorkLoop(
      {
        name: OP,
        groupsAtOnceMax: TENANTS_AT_ONCE,
        leaseSeconds: LEASE_SECONDS,
        finishMs: FINISH_MS,
        hint: IMPORT_HINT,
        noteHint: (tenantId) => tenantId,
        sweepMs: SWEEP_MS,
        sweep: () => listTenantsWithFiles(systemCall(runtime, OP)),
        claim: (tenantId, lease) => this.#claim(tenantId, lease),
        work: (turn, lease) => this.#work(turn, lease),
        renew: () => this.#renew(),
        nextDueAt: (tenantId) => this.#dueAt.get(tenantId) ?? Number.POSITIVE_INFINITY,
      },
      runtime,
      clock,
    );
  }

  start(): void {
    this.#loop.start();
  }

  /** Files that were not finished are given back: another process goes on with them at once. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    for (const [tenantId, { claimed, source }] of this.#own) {
      await source?.close();
      await releaseFile(this.#contextOf(tenantId), claimed).catch((error: unknown) => {
        this.#runtime.log.warn({ err: error, tenantId }, "an import is left to others");
      });
    }
    this.#own.clear();
  }

  #contextOf(tenantId: string, requestId?: string): TenantContext {
    return systemCall(this.#runtime, OP, {
      tenantId,
      ...(requestId === undefined ? {} : { requestId }),
    });
  }

  async #claim(tenantId: string, lease: Lease): Promise<Turn | undefined> {
    this.#dueAt.delete(tenantId);
    lease.begin();
    const own = (await this.#renewOwn(tenantId)) ?? (await this.#claimNext(tenantId, lease));
    if (own === undefined) return undefined;
    return { context: this.#contextOf(tenantId, own.claimed.file.id), own };
  }

  /** The file may have waited for its turn. Undefined if somebody else has it by now. */
  async #renewOwn(tenantId: string): Promise<OwnFile | undefined> {
    const own = this.#own.get(tenantId);
    if (own === undefined) return undefined;
    const [claimed] = await renewClaims(systemCall(this.#runtime, OP), [own.claimed.claim]);
    if (claimed === undefined) {
      await this.#forget(tenantId, own);
      return undefined;
    }
    // More rows may be done than this process knows, if the answer of the database was lost.
    own.claimed = claimed;
    return own;
  }

  async #claimNext(tenantId: string, lease: Lease): Promise<OwnFile | undefined> {
    const context = this.#contextOf(tenantId);
    const claimed = await claimNextFile(context, lease.token);
    if (claimed === undefined) {
      await this.#noteDue(context);
      return undefined;
    }
    const trouble = { slow: undefined, faults: 0 };
    const own = { claimed, source: undefined, batch: undefined, trouble };
    this.#own.set(tenantId, own);
    return own;
  }

  /** A file is imported a moment after its upload: a client may open it again. */
  async #noteDue(context: TenantContext): Promise<void> {
    const readyAt = await findNextReadyAt(context);
    if (readyAt === undefined) return;
    const delayMs = Math.max(0, readyAt.getTime() - context.clock.now().getTime());
    this.#dueAt.set(context.tenantId, this.#clock.now() + delayMs);
  }

  /** Also of the files that wait for their turn: with many tenants that takes longer than a lease. */
  async #renew(): Promise<void> {
    const tokens = [...this.#own.values()].map(({ claimed }) => claimed.claim);
    await renewClaims(systemCall(this.#runtime, OP), tokens);
  }

  async #work({ context, own }: Turn, lease: Lease): Promise<boolean> {
    const { tenantId } = context;
    try {
      const isOver = await this.#takeTurn(context, own, lease);
      if (isOver) await this.#forget(tenantId, own);
      return true;
    } catch (error) {
      // The same process goes on with the same rows later: the claim is still its own.
      if (error instanceof ProblemError && error.status === 503) throw error;
      await this.#forget(tenantId, own);
      if (!(error instanceof ClaimLost)) throw error;
      context.log.warn({ tenantId, importId: own.claimed.file.id }, error.message);
      return true;
    }
  }

  async #forget(tenantId: string, own: OwnFile): Promise<void> {
    this.#own.delete(tenantId);
    await own.source?.close();
  }

  /** Imports rows until the turn is over. Returns true if the import has ended. */
  async #takeTurn(context: TenantContext, own: OwnFile, lease: Lease): Promise<boolean> {
    const ground = await mappingGroundOf(context);
    own.source ??= new RowSource(context, own.claimed.file, ground);
    const { source } = own;
    source.follow(ground);
    const until = this.#clock.now() + TURN_MS;
    while (!lease.isOver && this.#clock.now() < until) {
      const ending = own.claimed.file.isCancelled
        ? { problem: CANCELLED }
        : await this.#takeStep(context, own, source);
      if (ending === undefined) continue;
      const { problem } = ending;
      await context.transaction((tx) =>
        problem === undefined
          ? finishImport(tx, own.claimed)
          : failImport(tx, own.claimed, problem),
      );
      return true;
    }
    return false;
  }

  /** Imports a batch. Returns how the import ends if there is none. */
  async #takeStep(
    context: TenantContext,
    own: OwnFile,
    source: RowSource,
  ): Promise<Ending | undefined> {
    const next = waitingRows(own) ?? (await readNext(own, source));
    if (!("rows" in next)) return next;
    own.batch ??= next;
    if (this.#own.size <= AHEAD_MAX) source.readAhead(BATCH_ROWS);
    try {
      const file = await importRows(context, own.claimed, next, own.trouble);
      own.claimed = { ...own.claimed, file };
    } catch (error) {
      if (error instanceof TooManyFaults) return { problem: STOPPED };
      throw error;
    }
    if (waitingRows(own) === undefined) own.batch = undefined;
    return undefined;
  }
}

/** How an import ends; `problem` is a sentence for people. */
type Ending = { readonly problem: string | undefined };

/** The rows in hand that are not done: the database failed, or took too long for one of them. */
function waitingRows({ batch, claimed, trouble }: OwnFile): RowBatch | undefined {
  const rows = batch?.rows.filter(({ row }) => row > claimed.file.rows) ?? [];
  const [first] = rows;
  if (batch === undefined || first === undefined) return undefined;
  // It may hold up the others once more, so it is tried alone.
  const isSlow = first.row === trouble.slow?.row;
  return { ...batch, rows: isSlow ? [first] : rows };
}

/** A file that cannot be read any further ends the import. */
async function readNext(own: OwnFile, source: RowSource): Promise<RowBatch | Ending> {
  try {
    own.batch = undefined;
    return (await source.next(BATCH_ROWS)) ?? { problem: undefined };
  } catch (error) {
    const isTold =
      error instanceof UnreadableFile ||
      (error instanceof ProblemError && error.code === importContentsGone.code);
    if (isTold) return { problem: error.message };
    // A reading that has failed does not go on. The next turn begins a new one.
    own.source = undefined;
    await source.close();
    throw error;
  }
}
