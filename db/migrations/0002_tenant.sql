-- A tenant is an isolated workspace; what it does follows from its published files.

create table tenant (
  id text primary key check (id ~ '^[a-z0-9][a-z0-9-]{1,62}$'),
  name text not null,
  version integer not null,
  -- `tenant.yml` of the published version, as data: read by every node on every change.
  settings jsonb not null,
  custom_domain text unique,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- From then on nobody enters; a job erases the rows and frees the id.
  deleted_at timestamptz
);
select isolate_tenants('tenant', 'id');

-- Files by content: what is the same in two versions is stored once.
create table file_content (
  tenant_id text not null references tenant (id) on delete cascade,
  hash bytea not null,
  content bytea not null,
  primary key (tenant_id, hash)
);
select isolate_tenants('file_content');

-- Published versions never change; version 0 is the draft, which does.
create table configuration_file (
  tenant_id text not null references tenant (id) on delete cascade,
  version integer not null check (version >= 0),
  path text not null,
  hash bytea not null,
  size integer not null,
  primary key (tenant_id, version, path),
  foreign key (tenant_id, hash) references file_content (tenant_id, hash)
);
select isolate_tenants('configuration_file');
create index configuration_file_hash on configuration_file (tenant_id, hash);

create table configuration_version (
  tenant_id text not null references tenant (id) on delete cascade,
  version integer not null check (version >= 1),
  published_at timestamptz not null,
  author text not null,
  message text,
  changes jsonb not null,
  primary key (tenant_id, version)
);
select isolate_tenants('configuration_version');

create table configuration_draft (
  tenant_id text primary key references tenant (id) on delete cascade,
  -- The published version the draft was made from: publishing over a newer one would undo it.
  base_version integer not null,
  revision integer not null,
  author text not null,
  message text,
  updated_at timestamptz not null
);
select isolate_tenants('configuration_draft');
