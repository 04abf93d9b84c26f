-- What the holder of a pass may do or has: points, visits, a coffee on the house.

create table privilege (
  tenant_id text not null,
  pass_id text collate "C" not null,
  id text not null,
  name text not null,
  type text not null check (type in ('OneTime', 'Unlimited', 'MultiUse', 'Unlockable')),
  -- Exact: fifteen digits before the point and four after it.
  value numeric(19, 4),
  minimum numeric(19, 4) not null default 0,
  maximum numeric(19, 4),
  unit text,
  status text not null check (status in ('locked', 'available', 'used', 'expired')),
  valid_from timestamptz,
  valid_until timestamptz,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, pass_id, id)
);
select isolate_tenants('privilege');
