import type { Static, TSchema } from "typebox";
import type { Clock } from "#kernel/clock.ts";
import type { Finding, FindingKind, Place } from "./finding.ts";
import type { YamlPath } from "./yaml/yaml-file.ts";

/** A file that fits its schema, and the positions of its values. */
export type FittingFile<Value> = {
  readonly path: string;
  readonly value: Value;
  at(path: YamlPath): Place;
};

/** The other files of the set. */
export type FilesAround = {
  has(path: string): boolean;
  get(path: string): Buffer | undefined;
};

/** Settings that name secrets. Plain data, because the sandbox process sends them to others. */
export type NamedSecrets<Settings> = {
  readonly path: string;
  readonly settings: Settings;
  /** The position of each member of the file, and of each member of its `secrets`. */
  readonly places: Readonly<Record<string, Place>>;
};

/** Reads secrets of the tenant, to check credentials. A finding must never contain a value. */
export type SecretReader = { read(key: string): Promise<string | undefined> };

/** One kind of tenant file: its path, its schema, its checks and its documentation. */
export type ConfigFile<Schema extends TSchema = TSchema> = {
  /** For example `server/schedule.yml`. */
  readonly path: string;
  readonly schema: Schema;
  /** The description in docs/templates.md. */
  readonly about: string;
  readonly example: string;
  /** The kinds of findings that the two checks below can return. */
  readonly findings?: readonly FindingKind[];
  /** Checks what the schema cannot express. Runs in the sandbox process that reads the files. */
  check?(file: FittingFile<Static<Schema>>, around: FilesAround): Finding[];
  /** Checks the secrets that the file names. Runs in the main process, which can read secrets. */
  checkSecrets?(
    file: NamedSecrets<Static<Schema>>,
    secrets: SecretReader,
    clock: Clock,
    /** The address of this service; undefined where files are checked apart from one. */
    baseUrl?: string,
  ): Promise<Finding[]>;
};

/** A `*.config.ts` file exports this as `configFiles`. */
export class ConfigFileList {
  readonly files: readonly ConfigFile[];

  constructor(files: readonly ConfigFile[]) {
    this.files = files;
  }
}

/** Infers the types of `check` and `checkSecrets` from the schema. */
export function configFile<Schema extends TSchema>(file: ConfigFile<Schema>): ConfigFile {
  return file;
}

export function defineConfigFiles(files: readonly ConfigFile[]): ConfigFileList {
  return new ConfigFileList(files);
}
