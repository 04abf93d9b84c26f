-- How much happened in each hour, so that a chart of three months counts no events.

create table number_by_hour (
  tenant_id text not null references tenant (id) on delete cascade,
  -- A whole hour of UTC.
  hour timestamptz not null,
  -- The name of the event.
  name text not null,
  -- What is counted apart within a name: the wallet, the decision, the unit. Empty for nothing.
  detail text not null,
  count bigint not null,
  -- What the events add up to: the value that was redeemed, the pushes that were sent.
  value numeric not null,
  primary key (tenant_id, hour, name, detail)
);
select isolate_tenants('number_by_hour');

-- The last event of each tenant that is counted, in the order of the feed.
create table number_cursor (
  tenant_id text primary key references tenant (id) on delete cascade,
  xact xid8 not null,
  sequence bigint not null,
  -- What happened earlier is counted already; null while the first count goes on from the beginning.
  counted_from timestamptz
);
select isolate_tenants('number_cursor');

-- How deliveries to webhooks ended. They are no events, so whoever records an end adds it here.
create table delivery_count (
  tenant_id text not null,
  hour timestamptz not null,
  -- Each connection adds to a row of its own, so that none waits for another.
  part integer not null,
  delivered bigint not null,
  failed bigint not null,
  -- Attempts that failed and are made again.
  retried bigint not null,
  primary key (tenant_id, hour, part)
);
select isolate_tenants('delivery_count');
