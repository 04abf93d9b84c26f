import { serveSideThread } from "#kernel/side-thread-program.ts";
import { checkSettings, type SettingsReading } from "./settings.check.ts";
import type { SettingsAsk } from "./settings.thread.ts";

/** Runs in its own thread: see settings.thread.ts. */

serveSideThread<SettingsAsk, SettingsReading>(({ bytes, operations }) =>
  checkSettings(Buffer.from(bytes), operations),
);
