-- Passes, the identifiers by which other systems know them, and what happened to each of them.

create table pass (
  tenant_id text not null,
  -- Ordered by time, as bytes.
  id text collate "C" not null,
  pass_type text not null,
  status text not null check (status in ('active', 'disabled', 'expired')),
  identifiers jsonb not null,
  data jsonb not null,
  -- What connectors delivered.
  metadata jsonb not null default '{}',
  -- The unguessable part of its public addresses.
  secret text not null,
  -- By wallet: whether it is installed, since when and on how many devices.
  providers jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  expires_at timestamptz,
  -- Set on the pass itself, and not as the template says.
  has_own_expiry boolean not null default false,
  version integer not null default 1,
  -- Of both wallets together.
  installation text not null generated always as (
    case
      when 'installed' in (providers #>> '{apple,status}', providers #>> '{google,status}')
        then 'installed'
      when 'uninstalled' in (providers #>> '{apple,status}', providers #>> '{google,status}')
        then 'uninstalled'
      else 'none'
    end) stored,
  primary key (tenant_id, id)
) with (fillfactor = 85);
select isolate_tenants('pass');
create index pass_created on pass (tenant_id, created_at, id);
create index pass_updated on pass (tenant_id, updated_at, id);
create index pass_by_type on pass (tenant_id, pass_type, id);
create index pass_by_status on pass (tenant_id, status, id);
-- A new pass is in no wallet yet, so making one does not pay for this.
create index pass_by_installation on pass (tenant_id, installation, id) where installation <> 'none';
create index pass_expiring on pass (expires_at) where status = 'active' and expires_at is not null;

-- Nothing refers to the pass itself: it is written and erased together with it, by one statement each.
create table pass_identifier (
  tenant_id text not null,
  name text collate "C" not null,
  value text collate "C" not null,
  pass_id text collate "C" not null,
  pass_type text not null,
  -- The template lets no two passes of its type have it.
  is_unique boolean not null,
  primary key (tenant_id, name, value, pass_id)
);
select isolate_tenants('pass_identifier');
create unique index pass_identifier_unique on pass_identifier (tenant_id, pass_type, name, value)
  where is_unique;
create index pass_identifier_pass on pass_identifier (tenant_id, pass_id);

-- Which passes have a value in `additionalData` or `metadata`: by hash, in the order of passes.
-- A GIN index would be smaller, but under row-level security no index answers `@>`: the database
-- runs no function that might give something away before it knows whose row it looks at.
create table pass_term (
  tenant_id text not null,
  term bigint not null,
  pass_id text collate "C" not null,
  primary key (tenant_id, term, pass_id)
);
select isolate_tenants('pass_term');

create function pass_term_of(source text, name text, value text) returns bigint
language sql immutable parallel safe
return hashtextextended(source || '.' || name || '=' || value, 0);

-- Of plain values, and of those in objects. Longer ones are found without.
create function pass_terms(data jsonb, metadata jsonb) returns setof bigint
language sql immutable parallel safe as $$
  with member as (
    select 'data' as source, key as name, value from jsonb_each(data)
    union all
    select 'metadata', key, value from jsonb_each(metadata)
  ), plain as (
    select source, name, value from member
    union all
    select source, name || '.' || key, inner_member.value
      from member, jsonb_each(member.value) as inner_member
     where jsonb_typeof(member.value) = 'object'
  )
  select distinct pass_term_of(source, name, value #>> '{}')
    from plain
   where jsonb_typeof(value) in ('string', 'number', 'boolean')
     and length(value #>> '{}') <= 256
$$;

-- How many there are, by type and status. Connections count in rows of their own, so that those who
-- make passes at the same time do not wait for each other; the sum is the number.
create table pass_count (
  tenant_id text not null,
  pass_type text not null,
  status text not null,
  part integer not null,
  count bigint not null,
  primary key (tenant_id, pass_type, status, part)
) with (fillfactor = 50);
select isolate_tenants('pass_count');

-- Kept by the table itself: whoever writes passes, in whatever way, leaves both right.
create function note_new_passes() returns trigger language plpgsql as $$
begin
  insert into pass_term (tenant_id, term, pass_id)
  select tenant_id, term, id from after_rows, pass_terms(data, metadata) as term;
  insert into pass_count as known (tenant_id, pass_type, status, part, count)
  select tenant_id, pass_type, status, pg_backend_pid() % 32, count(*)
    from after_rows
   group by tenant_id, pass_type, status
   order by tenant_id, pass_type, status
      on conflict (tenant_id, pass_type, status, part) do update
     set count = known.count + excluded.count;
  return null;
end
$$;

-- Looks only at members that differ, and says what `pass_terms` says of them in place: calling it for
-- each pass took half of the time that changing many of them took. Terms are found one by one, by the
-- key: without these settings a plan made while the table was small would read all of it later.
create function note_changed_passes() returns trigger language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  with changed as materialized (
    select tenant_id, id, before.data as former_data, before.metadata as former_metadata,
           after.data, after.metadata,
           exists (select from jsonb_object_keys(after.data || after.metadata) as name
                    where strpos(name, '.') > 0) as has_dots
      from before_rows as before
      join after_rows as after using (tenant_id, id)
     where before.data <> after.data or before.metadata <> after.metadata
  ), member as materialized (
    select tenant_id, id, false as is_present, 'data' as source, key as name, value
      from changed, jsonb_each(former_data)
     where data -> key is distinct from value
    union all
    select tenant_id, id, false, 'metadata', key, value
      from changed, jsonb_each(former_metadata)
     where metadata -> key is distinct from value
    union all
    select tenant_id, id, true, 'data', key, value
      from changed, jsonb_each(data)
     where former_data -> key is distinct from value
    union all
    select tenant_id, id, true, 'metadata', key, value
      from changed, jsonb_each(metadata)
     where former_metadata -> key is distinct from value
  ), plain as materialized (
    select tenant_id, id, is_present, source, name, value from member
    union all
    select tenant_id, id, is_present, source, name || '.' || key, inner_member.value
      from member, jsonb_each(member.value) as inner_member
     where jsonb_typeof(member.value) = 'object'
  ), term as materialized (
    select tenant_id, id, is_present, pass_term_of(source, name, value #>> '{}') as term
      from plain
     where jsonb_typeof(value) in ('string', 'number', 'boolean')
       and (not is_present or length(value #>> '{}') <= 256)
    union all
    -- `a.b` may also be the b of a: what one of them leaves behind may be the other's.
    select tenant_id, id, true, kept
      from changed, pass_terms(data, metadata) as kept
     where has_dots
  ), gone as (
    delete from pass_term
     using (select known.place
              from (select tenant_id, id, term
                      from term
                     group by tenant_id, id, term
                    having not bool_or(is_present)) as former
             cross join lateral (
                     select ctid as place
                       from pass_term
                      where tenant_id = former.tenant_id
                        and pass_term.term = former.term
                        and pass_id = former.id
                      limit 1) as known) as left_behind
     where pass_term.ctid = left_behind.place
  )
  insert into pass_term (tenant_id, term, pass_id)
  select distinct tenant_id, term, id from term where is_present
      on conflict do nothing;

  insert into pass_count as known (tenant_id, pass_type, status, part, count)
  select tenant_id, pass_type, status, pg_backend_pid() % 32, sum(change)
    from (select tenant_id, pass_type, status, 1 as change from after_rows
          union all
          select tenant_id, pass_type, status, -1 from before_rows) as changed
   group by tenant_id, pass_type, status
  having sum(change) <> 0
   order by tenant_id, pass_type, status
      on conflict (tenant_id, pass_type, status, part) do update
     set count = known.count + excluded.count;
  return null;
end
$$;

create function note_erased_passes() returns trigger language plpgsql as $$
declare
  pass record;
begin
  -- One by one, by the key: a plan for many, once made, might read the whole table for a few.
  for pass in
    select tenant_id, id, array(select pass_terms(data, metadata)) as former from before_rows
  loop
    delete from pass_term
     where tenant_id = pass.tenant_id and term = any (pass.former) and pass_id = pass.id;
  end loop;
  insert into pass_count as known (tenant_id, pass_type, status, part, count)
  select tenant_id, pass_type, status, pg_backend_pid() % 32, -count(*)
    from before_rows
   group by tenant_id, pass_type, status
   order by tenant_id, pass_type, status
      on conflict (tenant_id, pass_type, status, part) do update
     set count = known.count + excluded.count;
  return null;
end
$$;

create trigger note_new after insert on pass
  referencing new table as after_rows
  for each statement execute function note_new_passes();
create trigger note_changed after update on pass
  referencing old table as before_rows new table as after_rows
  for each statement execute function note_changed_passes();
create trigger note_erased after delete on pass
  referencing old table as before_rows
  for each statement execute function note_erased_passes();

-- What an event is about: its story is told, and erased, by this.
alter table event add column subject text;
create index event_subject on event (tenant_id, subject, sequence) where subject is not null;
