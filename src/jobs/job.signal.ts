/** Names a tenant with items to apply, or with items of cancelled jobs to delete. */
export const JOB_HINT = "job";
