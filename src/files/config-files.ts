import { type ConfigFile, ConfigFileList } from "./config-file.ts";

/** All kinds of tenant files that the modules declare, in the order of the modules. */
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

/** If a module declares `server/cdp.yml`, then `server/<connector>.yml` loses the name `cdp`. */
function withoutNames(kind: ConfigFile, taken: ReadonlyMap<string, ConfigFile>): ConfigFile {
  if (kind.names === undefined) return kind;
  const isFree = (name: string) => !taken.has(kind.path.replace(NAME, name));
  return { ...kind, names: kind.names.filter(isFree) };
}

/**
 * Loads the `*.config.ts` files of the modules. The sandbox process gets only these addresses when
 * it starts, because it has too little memory for the modules themselves.
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
