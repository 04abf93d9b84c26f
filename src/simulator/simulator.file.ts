import { access, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Authority } from "./certificates/authority.ts";
import type { Account } from "./google/google.accounts.ts";
import type { Stored } from "./google/google.store.ts";
import type { Phone } from "./phones/phone.state.ts";

/** All that the simulator knows after a restart. */
export type SimulatorState = {
  readonly version: 1;
  readonly authority: Authority;
  readonly googleRootKey: string;
  readonly accounts: readonly Account[];
  readonly resources: readonly (readonly [string, Stored])[];
  readonly phones: readonly Phone[];
  /** Push tokens of phones that are gone, with the time. */
  readonly goneTokens: readonly (readonly [string, number])[];
};

const DELAY_MS = 500;
/** A large state is written less often, so that writing takes at most this share of the time. */
const SHARE_MAX = 0.05;

const STATE_NAME = "state.json";
/** What the vendors of connectors know. */
export const VENDORS_NAME = "vendors.json";

/** Reads what phones, Apple and Google knew; undefined as for `readKept`. */
export function readState(folder: string): Promise<SimulatorState | undefined> {
  return readKept<SimulatorState>(folder, STATE_NAME);
}

/** Reads what was kept; undefined if there is nothing, or nothing that can be read. */
export async function readKept<State extends { readonly version: 1 }>(
  folder: string,
  name: string,
): Promise<State | undefined> {
  try {
    const state: unknown = JSON.parse(await readFile(join(folder, name), "utf8"));
    const { version } = state as { version?: unknown };
    return version === 1 ? (state as State) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether something was kept by this name. */
export async function isKept(folder: string, name: string): Promise<boolean> {
  return await access(join(folder, name)).then(
    () => true,
    () => false,
  );
}

/** Writes the state some moments after it changed, and at the end. */
export class StateFile<State = SimulatorState> {
  readonly #folder: string;
  readonly #name: string;
  readonly #take: () => State;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #delayMs = DELAY_MS;

  constructor(folder: string, take: () => State, name = STATE_NAME) {
    this.#folder = folder;
    this.#name = name;
    this.#take = take;
  }

  changed(): void {
    this.#timer ??= setTimeout(
      () => void this.flush().catch(() => undefined),
      this.#delayMs,
    ).unref();
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#write());
    await this.#writing;
  }

  async #write(): Promise<void> {
    const startedAt = performance.now();
    const text = JSON.stringify(this.#take());
    this.#delayMs = Math.max(DELAY_MS, (performance.now() - startedAt) / SHARE_MAX);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(this.#folder, this.#name);
    // Renamed when it is whole, so that a crash leaves the state before it.
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
  }
}
