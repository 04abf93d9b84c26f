-- Files of rows to import: their bytes, how far each import has come, and what became of every row.

create table import_file (
  tenant_id text not null,
  id text collate "C" not null,
  name text collate "C" not null,
  source text not null check (source in ('sftp', 'http', 'task')),
  -- A removed file is invisible; it is deleted when its contents are.
  state text not null
    check (state in ('uploading', 'pending', 'running', 'processed', 'error', 'removed')),
  is_dry_run boolean not null default false,
  -- Imported although a file with the same contents was.
  is_forced boolean not null default false,
  -- All bytes arrived; a complete file waits under a temporary name until it is renamed.
  is_complete boolean not null default false,
  -- Somebody has asked to stop the import that is running.
  is_cancelled boolean not null default false,
  size bigint not null default 0,
  -- SHA-256 of the bytes, known when the file is complete.
  content_hash bytea,
  -- `leaving`: nobody reads the contents any more, and they are being deleted.
  contents text not null default 'kept' check (contents in ('kept', 'leaving', 'gone')),
  -- The contents go as soon as the import has ended, because they tell of somebody who was erased.
  erases_contents boolean not null default false,
  received_at timestamptz not null,
  -- Not imported before: a client may still open the file again.
  ready_at timestamptz,
  started_at timestamptz,
  touched_at timestamptz not null,
  finished_at timestamptz,
  rows integer not null default 0,
  created integer not null default 0,
  updated integer not null default 0,
  unchanged integer not null default 0,
  failed integer not null default 0,
  -- How many bytes of the file the rows that are done take.
  bytes_done bigint not null default 0,
  -- The names of the identifiers in the outcomes: the columns of the log.
  identifier_names text[] not null default '{}',
  -- Why the import as a whole ended, in words for people.
  problem text,
  duplicate_of text collate "C",
  created_by text not null,
  -- The token of who writes the file (`uploading`) or imports it (`running`).
  claim text,
  claimed_until timestamptz,
  -- Claims since the last row that was recorded.
  attempts integer not null default 0,
  primary key (tenant_id, id)
);
select isolate_tenants('import_file');
-- In the inbox a name is taken once.
create unique index import_file_inbox on import_file (tenant_id, name)
  where source = 'sftp' and state in ('uploading', 'pending', 'running');
create index import_file_name on import_file (tenant_id, name, id);
create index import_file_due on import_file (tenant_id, ready_at, id) where state in ('pending', 'running');
create index import_file_same on import_file (tenant_id, content_hash) where state = 'processed';
create index import_file_kept on import_file (tenant_id) where contents = 'kept';
create index import_file_leaving on import_file (tenant_id, id) where contents = 'leaving';

create table import_chunk (
  tenant_id text not null,
  file_id text collate "C" not null,
  -- Where in the file the bytes begin.
  position bigint not null,
  bytes bytea not null,
  primary key (tenant_id, file_id, position)
);
-- Each chunk is written and read a few times at most: trying to make it smaller costs more than it saves.
alter table import_chunk alter column bytes set storage external;
select isolate_tenants('import_chunk');

create table import_outcome (
  tenant_id text not null,
  file_id text collate "C" not null,
  row integer not null,
  line integer not null,
  outcome text not null check (outcome in ('created', 'updated', 'unchanged', 'failed')),
  pass_id text collate "C",
  identifiers jsonb not null,
  message text,
  primary key (tenant_id, file_id, row)
);
select isolate_tenants('import_outcome');
-- Found with a million others around them; the other outcomes are read in the order of rows.
create index import_outcome_failed on import_outcome (tenant_id, file_id, row) where outcome = 'failed';
-- By it a pass is erased from the logs.
create index import_outcome_pass on import_outcome (tenant_id, pass_id) where pass_id is not null;
