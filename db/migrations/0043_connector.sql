-- Connectors to other vendors: the addresses they call, what they sent, and what was done about it.

create table connector_inbox (
  tenant_id text not null,
  connector text not null,
  -- The unguessable part of the address that the vendor calls, sealed.
  token bytea not null,
  -- The one before, which vendors may call until then.
  previous_token bytea,
  previous_until timestamptz,
  -- What an administrator must know, such as that the app was uninstalled at the vendor.
  notice text,
  noticed_at timestamptz,
  primary key (tenant_id, connector)
);
select isolate_tenants('connector_inbox');

create table inbound_delivery (
  tenant_id text not null,
  id text collate "C" not null,
  connector text not null,
  -- The vendor's own id of the delivery: what arrives twice is stored once.
  dedupe_key text collate "C" not null,
  topic text not null,
  -- What it is about, as `name=value`: one after the other in the order of arrival.
  subject text collate "C" not null,
  -- Whether it tells how the subject is now, or that it is no more.
  tells text check (tells in ('state', 'gone')),
  occurred_at timestamptz not null,
  received_at timestamptz not null,
  headers jsonb not null,
  -- Null after an erasure.
  body bytea,
  status text not null default 'waiting' check (status in ('waiting', 'done', 'ignored', 'failed')),
  -- Others of the same subject may go first: it waits for one of them.
  yields boolean not null default false,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  claim uuid,
  claimed_until timestamptz,
  finished_at timestamptz,
  result jsonb,
  -- In words for people: why it failed, was passed over, or waits.
  problem text,
  primary key (tenant_id, id)
);
select isolate_tenants('inbound_delivery');
create unique index inbound_delivery_once on inbound_delivery (tenant_id, connector, dedupe_key);
create index inbound_delivery_due on inbound_delivery (tenant_id, next_attempt_at) where status = 'waiting';
create index inbound_delivery_line on inbound_delivery (tenant_id, connector, subject, id) where status = 'waiting';
create index inbound_delivery_failed on inbound_delivery (tenant_id, connector, id) where status = 'failed';
create index inbound_delivery_list on inbound_delivery (tenant_id, connector, id);
create index inbound_delivery_ended on inbound_delivery (tenant_id, finished_at) where finished_at is not null;
-- Each body is written once and read about once: trying to make it smaller costs more than it saves.
alter table inbound_delivery alter column body set storage external;

-- Which deliveries tell of a pass, a customer or an identifier: their bodies are erased with it.
create table inbound_trace (
  tenant_id text not null,
  term text collate "C" not null,
  delivery_id text collate "C" not null,
  primary key (tenant_id, term, delivery_id)
);
select isolate_tenants('inbound_trace');
create index inbound_trace_delivery on inbound_trace (tenant_id, delivery_id);

-- What was done for a thing at the vendor, such as an order: never twice, and never taken back twice.
create table connector_effect (
  tenant_id text not null,
  connector text not null,
  key text collate "C" not null,
  -- The effect that this one takes back, wholly or in part.
  of_key text collate "C",
  pass_id text collate "C",
  privilege_id text,
  movement_id text collate "C",
  value numeric(19, 4),
  -- Of a receipt: by it and the connector its refunds find it.
  receipt_reference text,
  created_at timestamptz not null,
  primary key (tenant_id, connector, key)
);
select isolate_tenants('connector_effect');
create index connector_effect_of on connector_effect (tenant_id, connector, of_key) where of_key is not null;

-- How new what is known of a subject is: what arrives late must not replace it.
create table connector_subject (
  tenant_id text not null,
  connector text not null,
  subject text collate "C" not null,
  newest timestamptz not null,
  gone boolean not null,
  primary key (tenant_id, connector, subject)
);
select isolate_tenants('connector_subject');
