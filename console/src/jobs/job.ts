import type { components } from "../../generated/schema.ts";
import { api, type ListPage, take, takePage } from "../api/client.ts";
import { type ListWish, listQuery } from "../api/list-query.ts";

export type Job = components["schemas"]["Job"];
export type JobSummary = components["schemas"]["JobSummary"];
export type JobState = Job["state"];

/**
 * A job tells every tenth of its work and its end. In between, the passes that it changes tell that
 * it goes on.
 */
export const JOB_EVENTS = ["job.", "pass.updated", "pass.enabled", "pass.disabled"];
export const JOB_LIST_EVENTS = ["job."];

export const STATES = ["queued", "running", "completed", "cancelled", "failed"] as const;

export const jobsOf = (tenantId: string): readonly unknown[] => ["jobs", tenantId];

export const listJobs = (tenantId: string, wish: ListWish): Promise<ListPage<JobSummary>> =>
  takePage(
    api.GET("/api/{tenantId}/jobs", { params: { path: { tenantId }, query: listQuery(wish) } }),
  );

export const getJob = (tenantId: string, jobId: string): Promise<Job> =>
  take(api.GET("/api/{tenantId}/jobs/{jobId}", { params: { path: { tenantId, jobId } } }));

export const cancelJob = (tenantId: string, jobId: string): Promise<Job> =>
  take(api.POST("/api/{tenantId}/jobs/{jobId}/cancel", { params: { path: { tenantId, jobId } } }));

export const isOpen = ({ state }: Pick<Job, "state">): boolean =>
  state === "queued" || state === "running";
