-- Where a tenant wants to be told what happens: subscriptions by pattern, each with a secret to sign with.

create table webhook (
  tenant_id text not null references tenant (id) on delete cascade,
  id text not null check (id ~ '^[A-Za-z0-9]{5}$'),
  description text,
  -- As they were sent: case and the kind of separator matter to whoever reads them back.
  events text[] not null check (cardinality(events) between 1 and 50),
  endpoint text not null,
  enabled boolean not null,
  -- Sealed. It must be readable again: every delivery is signed with it.
  signature_secret bytea not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
select isolate_tenants('webhook');
