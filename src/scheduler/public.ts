export { timeZoneOf } from "./cron/time-zone.ts";
export { runTask } from "./executions/execution.service.ts";
export { deleteLines as deleteLinesOfFiles } from "./files/file.repository.ts";
export { checkFiles } from "./files/file-check.service.ts";
export {
  type FileLine,
  type LogData,
  type Purger,
  purgers,
  TaskFailure,
  type TaskKind,
  type TaskResult,
  type TaskRun,
  taskKinds,
} from "./kinds.port.ts";
export { EXPORT_COLUMNS, type TaskSettings } from "./schedule.settings.ts";
