export {
  DROP_LIST,
  DROP_STATUSES,
  type DropSummary,
  findDropFile,
  listDropFiles,
  summarizeDrop,
} from "./files/drop.repository.ts";
export {
  importFileTaken,
  importFileTooLarge,
  importNameTaken,
  importNoRoom,
  importRunning,
  importTooManyFiles,
  importWrongPosition,
} from "./files/file.errors.ts";
export { CHUNK_BYTES_MAX, FILE_BYTES_MAX } from "./files/file.limits.ts";
export { nameProblem } from "./files/file.name.ts";
export type { Folder } from "./files/file.repository.ts";
export type { ImportFile } from "./files/file.schema.ts";
export {
  beginFile,
  findFile,
  listFolder,
  type OpenFile,
  READ_BYTES,
  readAround,
  removeFile,
  renameFile,
  resumeFile,
} from "./files/file.service.ts";
export type { Chunk } from "./files/file-chunk.repository.ts";
export { listOutcomes, streamLog } from "./files/file-log.service.ts";
export { FileWriter } from "./files/file-writer.service.ts";
export type { ImportMapping } from "./import.schema.ts";
export { OUTCOME_LIST } from "./outcomes/outcome.repository.ts";
export { OUTCOME_EXAMPLE, OUTCOMES, OutcomeView } from "./outcomes/outcome.schema.ts";
