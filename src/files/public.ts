export {
  type ConfigFile,
  configFile,
  defineConfigFiles,
  type FilesAround,
  type FittingFile,
  type NamedSecrets,
  type SecretReader,
} from "./config-file.ts";
export { ConfigFiles, loadConfigFiles } from "./config-files.ts";
export {
  type FileProblems,
  type FileSet,
  fileSetProblems,
  isYaml,
  ProblemList,
  SET_BYTES_MAX,
  toFileSet,
} from "./file-set.ts";
export {
  allFindings,
  defineFinding,
  type Finding,
  type FindingFactory,
  type FindingKind,
  hasError,
  type Place,
  type Severity,
  sortFindings,
} from "./finding.ts";
export { yamlFindings } from "./yaml/findings.ts";
export { checkYaml } from "./yaml/schema.ts";
export { closest } from "./yaml/spelling.ts";
export { decodeUtf8 } from "./yaml/text.ts";
export { writeYaml } from "./yaml/write-yaml.ts";
export { readYaml, type YamlFile } from "./yaml/yaml-file.ts";
export { readZipDirectory } from "./zip/directory.ts";
export {
  inflatedBytes,
  readEntries,
  writeZip,
  type ZipReading,
  zipPieces,
  zipSizeBytes,
} from "./zip/zip.ts";
