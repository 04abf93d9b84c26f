-- Which Apple devices hold which passes, and what each of them was told of each change.

-- Gives out the tags of a tenant. Its row is locked until the commit, so tags become visible in their
-- order: a device that has seen one tag has missed none below it.
create table apple_tag (
  tenant_id text primary key,
  tag bigint not null
) with (fillfactor = 50);
select isolate_tenants('apple_tag');

-- A device as one pass type sees it; Apple gives it another token for each.
create table apple_device (
  tenant_id text not null,
  device_id text collate "C" not null,
  pass_type_identifier text collate "C" not null,
  -- Null after Apple called it wrong, until the device registers again.
  push_token text,
  token_at timestamptz not null,
  primary key (tenant_id, device_id, pass_type_identifier)
);
select isolate_tenants('apple_device');

create table apple_registration (
  tenant_id text not null,
  pass_id text collate "C" not null,
  device_id text collate "C" not null,
  pass_type_identifier text collate "C" not null,
  registered_at timestamptz not null,
  primary key (tenant_id, pass_id, device_id, pass_type_identifier)
);
select isolate_tenants('apple_registration');
create index apple_registration_device
  on apple_registration (tenant_id, device_id, pass_type_identifier);

-- A pass as devices follow it; there is none for a pass that no device ever asked for.
create table apple_pass (
  tenant_id text not null,
  pass_id text collate "C" not null,
  pass_type text not null,
  -- Rises with every change that devices are told of.
  revision integer not null,
  tag bigint not null,
  -- A whole second, later with each content that was issued: HTTP dates know nothing finer.
  modified_at timestamptz not null,
  -- Of the content that was issued last; null if none was.
  fingerprint text,
  -- Whether a different content was issued before, so that someone may still hold that one.
  has_varied boolean not null default false,
  primary key (tenant_id, pass_id)
) with (fillfactor = 70);
select isolate_tenants('apple_pass');

-- The ledger: what became of each revision on each device. An open delivery has a next push.
create table apple_delivery (
  tenant_id text not null,
  pass_id text collate "C" not null,
  device_id text collate "C" not null,
  pass_type_identifier text collate "C" not null,
  revision integer not null,
  state text not null
    check (state in ('queued', 'pushed', 'asked', 'fetched', 'superseded', 'gone', 'failed')),
  queued_at timestamptz not null,
  pushed_at timestamptz,
  asked_at timestamptz,
  -- A hash of where the question came from: who fetches a pass does not say which device it is.
  asked_from text,
  ended_at timestamptz,
  -- Pushes that Apple accepted, and tries since the last of them that it did not.
  pushes integer not null default 0,
  failures integer not null default 0,
  last_status integer,
  last_reason text,
  next_push_at timestamptz,
  claim uuid,
  claimed_until timestamptz,
  primary key (tenant_id, pass_id, device_id, pass_type_identifier, revision)
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
select isolate_tenants('apple_delivery');
create index apple_delivery_due on apple_delivery (tenant_id, next_push_at)
  where next_push_at is not null;
create index apple_delivery_device on apple_delivery (tenant_id, device_id, pass_type_identifier)
  where next_push_at is not null;
create index apple_delivery_ended on apple_delivery (ended_at) where ended_at is not null;

-- Tenants whose pushes wait: Apple refuses their certificate, or does not answer.
create table apple_push_pause (
  tenant_id text primary key,
  kind text not null check (kind in ('refused', 'unreachable')),
  reason text not null,
  since timestamptz not null,
  until timestamptz not null,
  -- In a row; each is longer than the one before.
  count integer not null
);
select isolate_tenants('apple_push_pause');

-- The last message to the holder of a pass, which wallets show with it.
create table pass_message (
  tenant_id text not null,
  pass_id text collate "C" not null,
  id text not null,
  title text,
  content text,
  localized_content jsonb not null,
  sent_at timestamptz not null,
  -- How many messages went before.
  earlier integer not null default 0,
  primary key (tenant_id, pass_id)
);
select isolate_tenants('pass_message');
