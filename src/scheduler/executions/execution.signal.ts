/** Names a tenant with tasks to plan or to run. */
export const TASK_HINT = "task";
