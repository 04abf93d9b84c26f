-- Values of passes in their order, so that a list sorted by any of them, or narrowed to a range, is
-- read from an index. Replaces the hashes of values, which could only tell which are equal.

-- Who writes passes locks them first and their terms afterwards.
lock table pass in access exclusive mode;

drop table pass_term;
drop function pass_terms, pass_term_of(text, text, text);

-- As texts that compare as the numbers do, byte by byte: those of a double, beyond which JSON data
-- holds no number that differs.
create function number_order(value numeric) returns text
language sql immutable parallel safe
return case
  when abs(value) < 4.9e-324 then '0' || repeat('0', 16)
  when value > 0 then '0' || encode(float8send(least(value, 1.7976931348623157e308)::float8), 'hex')
  else '-' || translate(encode(float8send(greatest(value, -1.7976931348623157e308)::float8), 'hex'),
                        '0123456789abcdef', 'fedcba9876543210')
end;

-- Texts before numbers before truth values; null for what has no order. Two long texts that begin
-- alike are one to it: a key has a limit.
create function value_order(value jsonb) returns text
language sql immutable parallel safe
return case jsonb_typeof(value)
  when 'string' then '"' || left(value #>> '{}', 200)
  when 'number' then '#' || number_order(value::numeric)
  when 'boolean' then '?' || (value #>> '{}')
end;

-- `data.tier="Deck`. A list or an object, behind all values, has but the mark that it is there. Null
-- for a name that cannot be asked for.
create function pass_term_of(source text, name text, value jsonb) returns text
language sql immutable parallel safe
return case
  when length(name) <= 128 and strpos(name, '=') = 0 and jsonb_typeof(value) <> 'null'
    then source || '.' || name || '=' || coalesce(value_order(value), '{')
end;

-- Of the members of both documents, and of those of objects in them. A name has one value at most:
-- a member called `a.b` stands before the b of a.
create function pass_terms(data jsonb, metadata jsonb) returns setof text
language sql immutable parallel safe as $$
  with member as (
    select 'data' as source, data as document, key as name, value from jsonb_each(data)
    union all
    select 'metadata', metadata, key, value from jsonb_each(metadata)
  ), named as (
    select source, name, value from member
    union all
    select source, name || '.' || key, inner_member.value
      from member, jsonb_each(member.value) as inner_member
     where jsonb_typeof(member.value) = 'object'
       and strpos(name, '.') = 0
       and strpos(key, '.') = 0
       and not document ? (name || '.' || key)
  )
  select term
    from named, pass_term_of(source, name, value) as term
   where term is not null
$$;

create table pass_term (
  tenant_id text not null,
  term text collate "C" not null,
  pass_id text collate "C" not null
);
select isolate_tenants('pass_term');
select set_config('app.tenant', '*', true);
insert into pass_term (tenant_id, term, pass_id)
select tenant_id, term, id from pass, pass_terms(data, metadata) as term;
alter table pass_term add primary key (tenant_id, term, pass_id);

-- Looks only at members that differ, and says what `pass_terms` says of them in place: calling it for
-- each pass took half of the time that changing many of them took. Terms are found one by one, by the
-- key: without these settings a plan made while the table was small would read all of it later.
create or replace function note_changed_passes() returns trigger language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  with changed as materialized (
    select tenant_id, id, before.data as former_data, before.metadata as former_metadata,
           after.data, after.metadata,
           exists (select from jsonb_object_keys(before.data || before.metadata
                                                 || after.data || after.metadata) as name
                    where strpos(name, '.') > 0) as has_dots
      from before_rows as before
      join after_rows as after using (tenant_id, id)
     where before.data <> after.data or before.metadata <> after.metadata
  ), member as materialized (
    select tenant_id, id, false as is_present, 'data' as source, key as name, value
      from changed, jsonb_each(former_data)
     where not has_dots and data -> key is distinct from value
    union all
    select tenant_id, id, false, 'metadata', key, value
      from changed, jsonb_each(former_metadata)
     where not has_dots and metadata -> key is distinct from value
    union all
    select tenant_id, id, true, 'data', key, value
      from changed, jsonb_each(data)
     where not has_dots and former_data -> key is distinct from value
    union all
    select tenant_id, id, true, 'metadata', key, value
      from changed, jsonb_each(metadata)
     where not has_dots and former_metadata -> key is distinct from value
  ), named as materialized (
    select tenant_id, id, is_present, source, name, value from member
    union all
    select tenant_id, id, is_present, source, name || '.' || key, inner_member.value
      from member, jsonb_each(member.value) as inner_member
     where jsonb_typeof(member.value) = 'object' and strpos(key, '.') = 0
  ), term as materialized (
    select tenant_id, id, is_present, term
      from named, pass_term_of(source, name, value) as term
     where term is not null
    union all
    -- `a.b` may also be the b of a: what one of them leaves behind may be the other's.
    select tenant_id, id, false, former
      from changed, pass_terms(former_data, former_metadata) as former
     where has_dots
    union all
    select tenant_id, id, true, present
      from changed, pass_terms(data, metadata) as present
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
  select tenant_id, term, id
    from term
   group by tenant_id, term, id
  having bool_and(is_present)
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

-- In no wallet is no value. A new pass is in none yet, so making one does not pay for the indexes.
alter table pass
  drop column installation,
  add column apple text generated always as (
    nullif(providers #>> '{apple,status}', 'none')) stored,
  add column google text generated always as (
    nullif(providers #>> '{google,status}', 'none')) stored,
  -- Of both wallets together.
  add column installation text generated always as (
    case
      when 'installed' in (providers #>> '{apple,status}', providers #>> '{google,status}')
        then 'installed'
      when 'uninstalled' in (providers #>> '{apple,status}', providers #>> '{google,status}')
        then 'uninstalled'
    end) stored;
create index pass_by_apple on pass (tenant_id, apple, id) where apple is not null;
create index pass_by_google on pass (tenant_id, google, id) where google is not null;
create index pass_by_installation on pass (tenant_id, installation, id)
  where installation is not null;
create index pass_by_expiry on pass (tenant_id, expires_at, id) where expires_at is not null;
