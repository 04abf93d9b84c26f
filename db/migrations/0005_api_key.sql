-- Keys by which programs authenticate. Only a hash is kept: the key itself is shown once.

create table api_key (
  tenant_id text not null references tenant (id) on delete cascade,
  id text not null,
  kind text not null default 'api-key' check (kind in ('api-key', 'device')),
  -- The id of the device for keys of devices, which have nothing to do with names of API keys.
  name text not null check (name ~ '^[A-Za-z0-9 ._-]{1,64}$'),
  hash bytea not null,
  prefix text not null,
  scopes text[] not null,
  expires_at timestamptz,
  created_at timestamptz not null,
  created_by text not null,
  last_used_at timestamptz,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint api_key_name unique (tenant_id, kind, name)
);
select isolate_tenants('api_key');
create unique index api_key_hash on api_key (hash);
