-- What connectors tell their vendors: how far each is in the history, what was refused, who was erased.

create table connector_feed (
  tenant_id text not null,
  connector text not null,
  -- What happened before the connector was configured is not told.
  started_at timestamptz not null,
  -- The place in the history of events after which to go on.
  xact xid8 not null,
  sequence bigint not null,
  -- Events behind that place which the vendor has already: they shared a request with refused ones.
  done text[] not null default '{}',
  -- Failed requests since the place last changed.
  attempts integer not null default 0,
  -- Requests since then in which some events were refused.
  refusals integer not null default 0,
  next_attempt_at timestamptz not null,
  -- In words for people: why it does not go on.
  problem text,
  last_sent_at timestamptz,
  claim uuid,
  claimed_until timestamptz,
  primary key (tenant_id, connector)
);
select isolate_tenants('connector_feed');

-- Events that the vendor refused again and again: they are set aside, so that others can follow.
create table connector_refusal (
  tenant_id text not null,
  connector text not null,
  event_id text collate "C" not null,
  event_name text not null,
  reason text not null,
  refused_at timestamptz not null,
  primary key (tenant_id, connector, event_id)
);
select isolate_tenants('connector_refusal');
create index connector_refusal_time on connector_refusal (tenant_id, connector, refused_at);

-- People who were erased here and are still known to the vendor. A row goes when the vendor was told.
create table connector_erasure (
  tenant_id text not null,
  connector text not null,
  -- Their identifiers at the vendor, as JSON: nothing else says whom to erase there.
  person text collate "C" not null,
  requested_at timestamptz not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  primary key (tenant_id, connector, person)
);
select isolate_tenants('connector_erasure');

-- The origin for which the secrets of a connector were stored: they are sent to no other one.
create table connector_origin (
  tenant_id text not null,
  connector text not null,
  origin text not null,
  -- A secret that was stored later belongs to the origin of its own time.
  bound_at timestamptz not null,
  primary key (tenant_id, connector)
);
select isolate_tenants('connector_origin');
