import type { Static, TSchema } from "typebox";
import type { Clock } from "#kernel/clock.ts";
import type { Finding, FindingKind, Place } from "./finding.ts";
import type { YamlPath } from "./yaml/yaml-file.ts";

/** A file that fits its schema, and where its values stand. */
export type FittingFile<Value> = {
  readonly path: string;
  readonly value: Value;
  at(path: YamlPath): Place;
};

/** The files beside the one that is checked. */
export type FilesAround = { has(path: string): boolean };

/** Settings that name secrets. Plain data: it travels from the process that reads files of strangers. */
export type NamedSecrets<Settings> = {
  readonly path: string;
  readonly settings: Settings;
  /** Where a member of the file stands, or a member of its `secrets`. */
  readonly places: Readonly<Record<string, Place>>;
};

/** The secrets of the tenant under test, for credential checks. A value never reaches a finding. */
export type SecretReader = { read(key: string): Promise<string | undefined> };

/** One kind of file of a tenant: its address, what may stand in it, and what people are told of it. */
export type ConfigFile<Schema extends TSchema = TSchema> = {
  /** `server/schedule.yml`; with `names` one part of it is a place for the name: `server/<connector>.yml`. */
  readonly path: string;
  /** The names for which there is such a file; a name with a kind of file of its own is taken off. */
  readonly names?: readonly string[];
  readonly schema: Schema;
  /** What docs/templates.md says of it. */
  about(names: readonly string[]): string;
  readonly example: string;
  /** All that the two checks can say beyond what the schema says. */
  readonly findings?: readonly FindingKind[];
  /** What the schema cannot say. Runs in the process that reads files of strangers. */
  check?(file: FittingFile<Static<Schema>>, around: FilesAround): Finding[];
  /** Whether the secrets that it names are what they are named for. Runs where secrets can be read. */
  checkSecrets?(
    file: NamedSecrets<Static<Schema>>,
    secrets: SecretReader,
    clock: Clock,
  ): Promise<Finding[]>;
};

/** What a `*.config.ts` exports as `configFiles`. */
export class ConfigFileList {
  readonly files: readonly ConfigFile[];

  constructor(files: readonly ConfigFile[]) {
    this.files = files;
  }
}

/** Gives `check` and `checkSecrets` the type that the schema says. */
export function configFile<Schema extends TSchema>(file: ConfigFile<Schema>): ConfigFile {
  return file;
}

export function defineConfigFiles(files: readonly ConfigFile[]): ConfigFileList {
  return new ConfigFileList(files);
}
