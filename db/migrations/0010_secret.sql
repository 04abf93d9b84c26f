-- What a tenant keeps from everyone: values are here as ciphertext only, under keys of that tenant.

create table secret_data_key (
  tenant_id text not null references tenant (id) on delete cascade,
  id text not null,
  -- 32 bytes under the master key. The first bytes say under which one, for when it is changed.
  wrapped bytea not null,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
select isolate_tenants('secret_data_key');

create table secret (
  tenant_id text not null references tenant (id) on delete cascade,
  key text not null check (key ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'),
  -- Tells a secret from one stored under its key before: versions begin at 1 again.
  id text not null,
  version integer not null default 1,
  data_key_id text not null,
  sealed bytea not null,
  updated_at timestamptz not null,
  primary key (tenant_id, key),
  -- Without its data key a value is noise: it goes with it.
  foreign key (tenant_id, data_key_id) references secret_data_key (tenant_id, id) on delete cascade
);
select isolate_tenants('secret');
create index secret_data_key_use on secret (tenant_id, data_key_id);
