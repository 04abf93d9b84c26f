-- Tasks that tenants run at set times: when each is due, what each run did, and the files that runs made.

-- Whether the tasks below are those of the files that the tenant published last.
create table schedule (
  tenant_id text primary key,
  published_version integer not null,
  planned_version integer not null default 0
);
select isolate_tenants('schedule');
create index schedule_stale on schedule (tenant_id) where planned_version < published_version;

create table scheduled_task (
  tenant_id text not null,
  task_id text collate "C" not null,
  kind text not null,
  cron text not null,
  time_zone text not null,
  settings jsonb not null,
  time_limit_seconds integer not null,
  -- Null while the task is disabled.
  next_run_at timestamptz,
  primary key (tenant_id, task_id)
);
select isolate_tenants('scheduled_task');
create index scheduled_task_due on scheduled_task (next_run_at) where next_run_at is not null;

create table task_execution (
  tenant_id text not null,
  id text collate "C" not null,
  task_id text collate "C" not null,
  kind text not null,
  settings jsonb not null,
  time_limit_seconds integer not null,
  status text not null default 'running',
  trigger text not null,
  -- The time of the schedule that this is the run of; null if somebody asked for it.
  scheduled_for timestamptz,
  created_at timestamptz not null,
  created_by text not null,
  -- Null while it waits for a worker.
  started_at timestamptz,
  finished_at timestamptz,
  summary text,
  counts jsonb not null default '{}',
  problem jsonb,
  -- What the run noted for whoever takes it over after a crash.
  progress jsonb,
  log_count integer not null default 0,
  file_name text,
  file_rows integer not null default 0,
  file_bytes bigint not null default 0,
  -- Counted with the claim, so that a run that kills its process does not come back for ever.
  attempts integer not null default 0,
  claim uuid,
  claimed_until timestamptz,
  primary key (tenant_id, id),
  -- However many processes plan the same time, it has one run.
  unique (tenant_id, task_id, scheduled_for)
);
select isolate_tenants('task_execution');
-- A task never overlaps itself.
create unique index task_execution_running on task_execution (tenant_id, task_id)
 where status = 'running';
create index task_execution_of_task on task_execution (tenant_id, task_id, id);

create table task_log (
  tenant_id text not null,
  execution_id text collate "C" not null,
  position integer not null,
  time timestamptz not null,
  level text not null,
  message text not null,
  data jsonb,
  primary key (tenant_id, execution_id, position),
  foreign key (tenant_id, execution_id) references task_execution on delete cascade
);
select isolate_tenants('task_log');

-- A file that a run made, some hundred lines each.
create table task_file_part (
  tenant_id text not null,
  execution_id text collate "C" not null,
  position integer not null,
  -- What each line is about, such as the id of a pass: its line goes when that is erased.
  keys text[] collate "C" not null,
  lines text[] not null,
  -- The range of the keys: a key is looked for without reading the lines of every part.
  first_key text collate "C" not null,
  last_key text collate "C" not null,
  primary key (tenant_id, execution_id, position),
  foreign key (tenant_id, execution_id) references task_execution on delete cascade
);
select isolate_tenants('task_file_part');

select set_config('app.tenant', '*', true);
-- Tenants that published a schedule before somebody kept it.
insert into schedule (tenant_id, published_version)
select id, version from tenant where deleted_at is null;
