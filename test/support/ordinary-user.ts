import { execFile } from "node:child_process";
import type { TestContext } from "node:test";
import { promisify } from "node:util";

const run = promisify(execFile);
/** Nobody in particular: every number is a user. */
const ORDINARY_UID = 54_321;

/**
 * Runs a few lines as a user without rights, with `module` loaded before, since such a user may not
 * be able to read this checkout. Gives the message of the error they end with, or nothing.
 */
export async function runAsOrdinaryUser(
  t: TestContext,
  module: string,
  lines: string,
): Promise<string> {
  const program = `
    const module = await import(${JSON.stringify(import.meta.resolve(module))});
    if (process.getuid() === 0) {
      process.setgroups([]); process.setgid(${ORDINARY_UID}); process.setuid(${ORDINARY_UID});
    }
    try { ${lines} } catch (error) { process.stdout.write(error.message); }
  `;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], {
    signal: t.signal,
  });
  return stdout;
}
