-- Work that was accepted and goes on in the background, and how far it is.

create table job (
  tenant_id text not null,
  -- Ordered by time, as bytes.
  id text collate "C" not null,
  kind text not null,
  state text not null check (state in ('queued', 'running', 'completed', 'cancelled', 'failed')),
  -- What was asked for, without values: who may look at a job sees it for as long as the job is kept.
  request jsonb not null,
  -- One change for all items; gone when the job has ended, since it may tell of a person.
  change jsonb,
  matched integer not null,
  processed integer not null default 0,
  updated integer not null default 0,
  unchanged integer not null default 0,
  failed integer not null default 0,
  -- Failures that were noted, kept or not.
  noted integer not null default 0,
  -- Whether some of its items may still be there.
  has_items boolean not null,
  created_at timestamptz not null,
  created_by text not null,
  started_at timestamptz,
  -- Of the last progress.
  touched_at timestamptz,
  finished_at timestamptz,
  primary key (tenant_id, id)
) with (fillfactor = 70);
select isolate_tenants('job');
create index job_open on job (tenant_id) where has_items;
create index job_finished on job (finished_at) where finished_at is not null;

-- One thing that a job has to change. Deleted in the transaction that does it, so what is here is to
-- be done, whatever died meanwhile. The sequence is the order in which changes were accepted.
create table job_item (
  tenant_id text not null,
  sequence bigint generated always as identity,
  job_id text collate "C" not null,
  subject text collate "C" not null,
  -- Null for the change of the job.
  change jsonb,
  -- The version that it must have when it is changed; null for any.
  expected_version integer,
  -- False while something is asked of others first.
  is_ready boolean not null default true,
  -- What others delivered.
  delivered jsonb,
  -- Who asks them does so until then.
  claimed_until timestamptz,
  primary key (tenant_id, sequence)
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
select isolate_tenants('job_item');
create index job_item_subject on job_item (tenant_id, subject, sequence);
create index job_item_waiting on job_item (tenant_id, sequence) where not is_ready;

-- The two questions that are asked again and again while a job runs. A table that fills and empties
-- within minutes has no statistics to speak of: the database takes a hundred thousand rows for a few
-- and sorts them all for each batch, unless it is told to follow the index.

-- What may be done next. What comes before must be done before: nothing overtakes a change of the
-- same thing that waits for others.
create function next_job_items(tenant text, wanted integer) returns setof job_item
language sql stable set enable_sort = off set enable_bitmapscan = off set enable_seqscan = off as $$
  select item.*
    from job_item as item
   where tenant_id = tenant
     and is_ready
     and not exists (
           select from job_item as earlier
            where earlier.tenant_id = item.tenant_id
              and earlier.subject = item.subject
              and earlier.sequence < item.sequence
              and not earlier.is_ready)
   order by sequence
   limit wanted
$$;

-- What waits for others, and nobody asks them yet.
create function waiting_job_items(tenant text, at timestamptz, wanted integer) returns setof bigint
language sql set enable_sort = off set enable_bitmapscan = off set enable_seqscan = off as $$
  select sequence
    from job_item
   where tenant_id = tenant
     and not is_ready
     and (claimed_until is null or claimed_until < at)
   order by sequence
   limit wanted
     for update skip locked
$$;

create table job_failure (
  tenant_id text not null,
  job_id text collate "C" not null,
  position integer not null,
  subject text not null,
  code text not null,
  message text not null,
  primary key (tenant_id, job_id, position),
  foreign key (tenant_id, job_id) references job (tenant_id, id) on delete cascade
);
select isolate_tenants('job_failure');
