-- What each subscription is owed: one row per event and subscription, kept until its retention ends.

-- Changes with every change of a tenant's subscriptions: who knows this one knows them all.
create table webhook_revision (
  tenant_id text primary key references tenant (id) on delete cascade,
  revision uuid not null
);
select isolate_tenants('webhook_revision');

alter table webhook
  add column ordered boolean not null default false,
  -- Since the first failure that no success has followed.
  add column failing_since timestamptz,
  add column disabled_at timestamptz,
  add column disabled_reason text check (disabled_reason in ('gone', 'failing'));

-- Secrets that were replaced and still sign beside the new one for a while.
create table webhook_former_secret (
  tenant_id text not null,
  webhook_id text not null,
  id bigint generated always as identity,
  signature_secret bytea not null,
  valid_until timestamptz not null,
  primary key (tenant_id, webhook_id, id),
  foreign key (tenant_id, webhook_id) references webhook (tenant_id, id) on delete cascade
);
select isolate_tenants('webhook_former_secret');
create index webhook_former_secret_end on webhook_former_secret (valid_until);

-- Nothing refers to other tables: checking that would cost every event, and a deleted subscription
-- must not wait for its deliveries to go.
create table delivery (
  tenant_id text not null,
  webhook_id text not null,
  -- In the order of bytes, which is that of time: the newest and the oldest are found by the key.
  event_id text collate "C" not null,
  -- Those of one thing come in the order in which it changed.
  sequence bigint generated always as identity,
  event_name text not null,
  -- The event whose example a test sends.
  sample_of text,
  state text not null check (state in ('pending', 'delivered', 'failed')),
  is_retry boolean not null default false,
  due_at timestamptz not null,
  -- Whose turn it is until when. Not in an index, so that a claim moves no index entry.
  claim uuid,
  claimed_until timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  -- Of the present round of tries; someone may begin another one.
  attempt_count integer not null default 0,
  last_status integer,
  -- Of all rounds, the oldest first.
  attempts jsonb not null default '[]',
  primary key (tenant_id, webhook_id, event_id)
-- Pages begin half empty: a claim then finds room beside its row and touches no index, and what the
-- attempts add later goes there too.
) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
select isolate_tenants('delivery');
create index delivery_due on delivery (tenant_id, webhook_id, is_retry, due_at)
  where state = 'pending';
create index delivery_order on delivery (tenant_id, webhook_id, sequence)
  where state = 'pending';
