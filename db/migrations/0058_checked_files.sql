-- Files of before this release may have lines of erased passes: a job looks at each of them once.

-- A job and not this migration: it would read all keys of all files while nothing starts, lock what
-- erasures wait for, and miss what processes of the release before still write beside it.
-- True for files that this release began, and for those that the job has looked at.
alter table task_execution add column lines_checked boolean not null default false;
