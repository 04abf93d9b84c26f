import { renderHelp } from "./help.ts";
import { version } from "./version.ts";

const COMMANDS = ["start", "migrate"] as const;
type Command = (typeof COMMANDS)[number];

type Asked =
  | { readonly command: Command }
  | { readonly text: string }
  | { readonly mistake: string };

/** The exit code for a mistake in the command line, as opposed to a failure. */
const EXIT_USAGE = 2;

export async function main(words: readonly string[]): Promise<void> {
  const asked = readWords(words);
  if ("text" in asked) {
    process.stdout.write(asked.text);
  } else if ("mistake" in asked) {
    process.stderr.write(`${asked.mistake}\n`);
    process.exitCode = EXIT_USAGE;
  } else {
    // Imported only here: loading the product takes most of a second, which `help` need not wait
    // for.
    const program = await import("./start.ts");
    await program[asked.command]();
  }
}

export function readWords(words: readonly string[]): Asked {
  if (words.some((word) => word === "--help" || word === "-h")) {
    return { text: renderHelp(version) };
  }
  if (words.some((word) => word === "--version" || word === "-v")) {
    return { text: `${version}\n` };
  }
  const option = words.find((word) => word.startsWith("-"));
  if (option !== undefined) return { mistake: `Unknown option '${option}'. ${HINT}` };
  const [name = "start", extra] = words;
  const command = COMMANDS.find((known) => known === name);
  if (command === undefined) {
    return { mistake: `Unknown command '${name}'. Commands: ${COMMANDS.join(", ")}. ${HINT}` };
  }
  if (extra !== undefined) return { mistake: `One word too many: '${extra}'. ${HINT}` };
  return { command };
}

const HINT = "Settings are environment variables; --help lists them.";
