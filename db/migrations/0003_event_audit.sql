-- What happened and who did it, written in the same transaction as the change itself.

create table event (
  tenant_id text not null,
  id text not null,
  -- Commit-safe reading order: ids and sequences are taken before the commit, so a plain "greater
  -- than the last one seen" skips rows that commit late. Readers stop at the oldest running xact.
  xact xid8 not null default pg_current_xact_id(),
  sequence bigint generated always as identity,
  name text not null,
  occurred_at timestamptz not null,
  data jsonb not null,
  previous jsonb,
  primary key (tenant_id, id)
);
select isolate_tenants('event');
create index event_feed on event (tenant_id, xact, sequence);

create table audit (
  tenant_id text not null,
  id text not null,
  at timestamptz not null,
  actor_kind text not null,
  actor_id text not null,
  op text not null,
  target text not null,
  request_id text not null,
  ip text not null,
  before jsonb,
  after jsonb,
  primary key (tenant_id, id)
);
select isolate_tenants('audit');
create index audit_feed on audit (tenant_id, at desc, id desc);
-- The operator reads the trail of all tenants in one list.
create index audit_feed_all on audit (at desc, id desc);
