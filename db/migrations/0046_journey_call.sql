-- Calls of steps of customer journeys: vendors repeat them, and none may be done twice.

create table journey_call (
  tenant_id text not null,
  connector text not null,
  -- A hash of what was asked for, by which key and for whom: nobody can be known by it.
  key text collate "C" not null,
  pass_id text collate "C",
  outcome text,
  created_at timestamptz not null,
  primary key (tenant_id, connector, key)
);
select isolate_tenants('journey_call');
create index journey_call_time on journey_call (tenant_id, created_at);
