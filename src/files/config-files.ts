import { type ConfigFile, ConfigFileList } from "./config-file.ts";

/** All kinds of tenant files that the modules declare, in the order of the modules. */
export class ConfigFiles {
  readonly kinds: readonly ConfigFile[];
  readonly #byPath: ReadonlyMap<string, ConfigFile>;

  constructor(declared: readonly ConfigFile[]) {
    const byPath = new Map<string, ConfigFile>();
    for (const kind of declared) {
      if (byPath.has(kind.path)) throw new Error(`Two modules declare '${kind.path}'.`);
      byPath.set(kind.path, kind);
    }
    this.kinds = declared;
    this.#byPath = byPath;
  }

  get paths(): string[] {
    return [...this.#byPath.keys()];
  }

  find(path: string): ConfigFile | undefined {
    return this.#byPath.get(path);
  }
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
