import Type from "typebox";
import { answer, defineRoute } from "#kernel/http/route.ts";
import { openExecutionFile } from "../files/file.service.ts";
import { executionFileNotFound, executionNotFound, taskNotFound } from "./execution.errors.ts";
import { EXECUTION_LIST, listExecutions } from "./execution.repository.ts";
import {
  DETAIL_EXAMPLE,
  EXECUTION_EXAMPLE,
  ExecutionDetail,
  ExecutionParams,
  ExecutionResource,
  executionVersionOf,
  presentExecution,
  presentLog,
  TaskParams,
} from "./execution.schema.ts";
import { getLoggedExecution, listExecutionsOfTask } from "./execution.service.ts";

const KEPT = "Kept for 30 days, or as long as `retention.executionDays` of `tenant.yml` says.";

const executionList = defineRoute({
  op: "execution.list",
  method: "GET",
  url: "/api/:tenantId/scheduler/executions",
  scope: "Scheduler.History",
  summary: "List the executions of all tasks",
  description: `The newest first. ${KEPT}`,
  list: EXECUTION_LIST,
  reply: Type.Array(ExecutionResource),
  example: { reply: [EXECUTION_EXAMPLE] },
  handle: (context, input) => listExecutions(context, input),
});

const executionListOfTask = defineRoute({
  op: "execution.list-of-task",
  method: "GET",
  url: "/api/:tenantId/scheduler/:taskId/executions",
  scope: "Scheduler.History",
  summary: "List the executions of one task",
  description: `The newest first. ${KEPT} Also of a task that is no longer in the file.`,
  params: TaskParams,
  list: EXECUTION_LIST,
  reply: Type.Array(ExecutionResource),
  errors: [taskNotFound],
  example: { reply: [EXECUTION_EXAMPLE] },
  handle: (context, input) => listExecutionsOfTask(context, input.params.taskId, input),
});

const executionGet = defineRoute({
  op: "execution.get",
  method: "GET",
  url: "/api/:tenantId/scheduler/:taskId/executions/:executionId",
  scope: "Scheduler.History",
  summary: "Read one execution with its log",
  params: ExecutionParams,
  reply: ExecutionDetail,
  errors: [executionNotFound],
  example: { reply: DETAIL_EXAMPLE },
  async handle(context, { params: { taskId, executionId } }) {
    const { execution, logs } = await getLoggedExecution(context, taskId, executionId);
    const body = {
      ...presentExecution(execution),
      settings: { ...execution.settings },
      logs: logs.map(presentLog),
    };
    return answer(body, { version: executionVersionOf(execution) });
  },
});

const CSV = "text/csv";

const executionDownload = defineRoute({
  op: "execution.download",
  method: "GET",
  url: "/api/:tenantId/scheduler/:taskId/executions/:executionId/file",
  // The file tells of passes, which `Scheduler.History` does not let see.
  scope: "Pass.Read",
  summary: "Read the file that an execution made",
  description:
    "CSV in UTF-8, with a header. Texts that a spreadsheet would take for a formula begin with an apostrophe. Kept for seven days, the last ten of each task; the lines of passes that are erased meanwhile are erased too.",
  params: ExecutionParams,
  reply: Type.String({ contentMediaType: CSV, title: "ExecutionFileContent" }),
  errors: [executionNotFound, executionFileNotFound],
  async handle(context, { params: { taskId, executionId } }) {
    const { name, body } = await openExecutionFile(context, taskId, executionId);
    const headers = {
      "content-type": `${CSV}; charset=utf-8`,
      "content-disposition": `attachment; filename="${name}"`,
    };
    return answer(body, { headers });
  },
});

export const executionRoutes = [
  executionList,
  executionListOfTask,
  executionGet,
  executionDownload,
];
