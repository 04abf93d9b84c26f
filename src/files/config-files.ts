import { type ConfigFile, ConfigFileList } from "./config-file.ts";

/** All kinds of file that the modules declare, in the order of the modules. */
export class ConfigFiles {
  readonly kinds: readonly ConfigFile[];
  readonly #byPath: ReadonlyMap<string, ConfigFile>;

  constructor(declared: readonly ConfigFile[]) {
    const ofOneName = new Map<string, ConfigFile>();
    for (const kind of declared.filter(({ names }) => names === undefined)) {
      if (ofOneName.has(kind.path)) throw new Error(`Two modules declare '${kind.path}'.`);
      ofOneName.set(kind.path, kind);
    }
    this.kinds = declared.map((kind) => withoutNames(kind, ofOneName));
    this.#byPath = new Map(
      this.kinds.flatMap((kind) => pathsOf(kind).map((path) => [path, kind] as const)),
    );
  }

  get paths(): string[] {
    return [...this.#byPath.keys()];
  }

  find(path: string): ConfigFile | undefined {
    return this.#byPath.get(path);
  }
}

const NAME = /<[^>]+>/;

function pathsOf({ path, names }: ConfigFile): string[] {
  return names === undefined ? [path] : names.map((name) => path.replace(NAME, name));
}

/** A module that declares `server/cdp.yml` takes `cdp` off the list of those that nobody reads yet. */
function withoutNames(kind: ConfigFile, taken: ReadonlyMap<string, ConfigFile>): ConfigFile {
  if (kind.names === undefined) return kind;
  const isFree = (name: string) => !taken.has(kind.path.replace(NAME, name));
  return { ...kind, names: kind.names.filter(isFree) };
}

/**
 * Loads the `*.config.ts` of the modules by their addresses. The process that reads files of strangers
 * gets these addresses when it starts: it has no memory for the modules themselves.
 */
export async function loadConfigFiles(addresses: readonly string[]): Promise<ConfigFiles> {
  const lists = await Promise.all(addresses.map(loadList));
  return new ConfigFiles(lists.flatMap(({ files }) => files));
}

async function loadList(address: string): Promise<ConfigFileList> {
  const loaded: { readonly configFiles?: unknown } = await import(address);
  const { configFiles } = loaded;
  if (configFiles instanceof ConfigFileList) return configFiles;
  throw new Error(`'${address}' exports no 'configFiles' made by defineConfigFiles.`);
}
