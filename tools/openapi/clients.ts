import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createClient } from "@hey-api/openapi-ts";
import openapiTypescript, { astToString } from "openapi-typescript";

/*
 * Generates clients from openapi.json with two generators, and compiles each client with a program
 * that uses it (clients/*.ts), with the compiler that the generators need, in strict mode. The
 * folder is beside this file, so that the programs find the packages that they import.
 */

const HERE = import.meta.dirname;
const DOCUMENT = join(HERE, "../../openapi.json");
const TYPESCRIPT = createRequire(import.meta.url).resolve("typescript/bin/tsc");

export const GENERATOR_NAMES = ["openapi-fetch", "hey-api"] as const;
export type GeneratorName = (typeof GENERATOR_NAMES)[number];

/** The server on which a client is tested. */
export type Place = { readonly baseUrl: string; readonly key: string; readonly tenantId: string };

/** The results that a program got through its client. */
export type Seen = {
  readonly created: { readonly id: string; readonly status: string };
  readonly found: readonly string[];
  readonly webhook: { readonly id: string; readonly events: readonly string[] };
  readonly accepted: string;
  readonly refusal: { readonly status: number; readonly code: string; readonly field: string };
  readonly missing: { readonly status: number; readonly code: string };
};

export type BuiltClients = {
  use(generator: GeneratorName, place: Place): Promise<Seen>;
  remove(): Promise<void>;
};

/** All in one compilation, because most of its time goes to what they have in common. */
export async function buildClients(): Promise<BuiltClients> {
  await mkdir(join(HERE, "generated"), { recursive: true });
  const folder = await mkdtemp(join(HERE, "generated", "clients-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    for (const generator of GENERATOR_NAMES) await generate(generator, join(folder, generator));
    await compile(folder);
    return {
      remove,
      async use(generator, place) {
        const program = join(folder, "built", generator, "program.js");
        const { use } = await import(pathToFileURL(program).href);
        return await use(place);
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function generate(generator: GeneratorName, folder: string): Promise<void> {
  await mkdir(folder);
  await GENERATORS[generator](folder);
  await copyFile(join(HERE, "clients", `${generator}.ts`), join(folder, "program.ts"));
}

const GENERATORS: Readonly<Record<GeneratorName, (folder: string) => Promise<void>>> = {
  async "openapi-fetch"(folder) {
    const types = await openapiTypescript(pathToFileURL(DOCUMENT));
    await writeFile(join(folder, "schema.ts"), astToString(types));
  },
  async "hey-api"(folder) {
    await createClient({
      input: DOCUMENT,
      output: { path: join(folder, "client"), module: { extension: ".js" } },
      plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
      logs: { level: "silent" },
    });
  },
};

const COMPILER_OPTIONS = {
  target: "es2022",
  lib: ["es2023", "dom", "dom.iterable"],
  module: "nodenext",
  moduleResolution: "nodenext",
  strict: true,
  noUnusedLocals: true,
  // Nothing that is generated is a declaration file: those of the compiler and of packages are their owners' to check.
  skipLibCheck: true,
  types: [],
  rootDir: ".",
  outDir: "built",
};

async function compile(folder: string): Promise<void> {
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const project = { compilerOptions: COMPILER_OPTIONS, include: ["**/*.ts"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(project));
  const run = promisify(execFile)(process.execPath, [TYPESCRIPT, "--project", folder]);
  await run.catch(({ stdout }: { stdout: string }) => {
    throw new Error(`The clients do not compile:\n${stdout}`);
  });
}
