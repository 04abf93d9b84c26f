/** Its payload is a tenant in which a job has something to do, or to clear away. */
export const JOB_HINT = "job";
