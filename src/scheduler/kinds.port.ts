import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { definePort } from "#kernel/port.ts";
import type { TaskKindName, TaskSettings } from "./schedule.settings.ts";

/** What modules above do for tasks, and what they are given for it. */

export type LogLevel = "info" | "warn" | "error";
/** Shown to everybody who may see executions, so never a secret and nothing about a person. */
export type LogData = Readonly<Record<string, string | number | boolean | null>>;

/** One line of a file, and what it is about: when that is erased, its line is erased too. */
export type FileLine = { readonly key: string; readonly line: string };

/** Of these keys, the ones whose subjects have not been erased. */
export type StillThere = (tx: TenantTx, keys: readonly string[]) => Promise<ReadonlySet<string>>;

/** The file that a run may write. */
export type RunFile = {
  /** Begins the file anew, with its first line. */
  beginFile(name: string, head: string): Promise<void>;
  /**
   * Leaves out the lines about subjects that were erased after they were read. Returns how many lines
   * were added.
   */
  addLines(lines: readonly FileLine[], stillThere?: StillThere): Promise<number>;
};

/** One run of a task. */
export type TaskRun<Settings = unknown> = RunFile & {
  /** The same in every attempt: the key of what must not be queued twice. */
  readonly executionId: string;
  /** Its transactions fail once the run has ended or another process has taken it over. */
  readonly context: TenantContext;
  readonly settings: Settings;
  /**
   * Aborted when the time limit is over or the process stops: whoever is not done then throws. The
   * reason is a `TaskFailure` if the run has failed for good, so that what it queued should end too.
   */
  readonly signal: AbortSignal;
  /** What an earlier attempt noted before its process died; undefined if there was none. */
  readonly progress: unknown;
  noteProgress(progress: unknown): Promise<void>;
  log(level: LogLevel, message: string, data?: LogData): Promise<void>;
};

/** Ends a run as failed, with words for those who look at it. */
export class TaskFailure extends Error {
  /** `noun.problem-in-kebab-case`, never renamed. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "TaskFailure";
    this.code = code;
  }
}

export type TaskResult = {
  /** One sentence. */
  readonly summary: string;
  readonly counts: Readonly<Record<string, number>>;
};

type KindOf<Kind extends TaskKindName> = {
  readonly kind: Kind;
  /** True if a run mostly waits for work that is done elsewhere: it takes no place of a run that works. */
  readonly waits?: boolean;
  /**
   * May run twice: after a crash, another process runs it from the start. What it throws ends the run
   * as failed; people see the message of a `TaskFailure` or `ProblemError` only.
   */
  run(run: TaskRun<TaskSettings<Kind>>): Promise<TaskResult>;
};
export type TaskKind = { [Kind in TaskKindName]: KindOf<Kind> }[TaskKindName];

export const taskKinds = definePort<TaskKind>("kind of task");

/** Deletes the rows of one kind of thing that a tenant keeps no longer; for the kind `purge`. */
export type Purger = {
  /** As the counts of an execution name it, such as `events`. */
  readonly name: string;
  purge(context: TenantContext, signal: AbortSignal): Promise<number>;
};

export const purgers = definePort<Purger>("purger");
