-- Tickets of vendors and the passes made of them, and how far the nightly look at each vendor has come.

create table connector_ticket (
  tenant_id text not null,
  connector text not null,
  -- The vendor's own id of the ticket.
  key text collate "C" not null,
  -- What it was sold with, such as an order.
  sold_as text collate "C" not null,
  pass_id text collate "C" not null,
  is_void boolean not null,
  -- Whether its pass was disabled because it is void: only then it is enabled again with it.
  is_disabled_here boolean not null,
  primary key (tenant_id, connector, key)
);
select isolate_tenants('connector_ticket');
create index connector_ticket_sold on connector_ticket (tenant_id, connector, sold_as);
create index connector_ticket_pass on connector_ticket (tenant_id, pass_id);

create table connector_place (
  tenant_id text not null,
  connector text not null,
  -- What is looked through by itself, such as an event.
  part text collate "C" not null,
  -- In the vendor's words: what changed since then is to be looked at.
  since text not null,
  looked_at timestamptz not null,
  primary key (tenant_id, connector, part)
);
select isolate_tenants('connector_place');
