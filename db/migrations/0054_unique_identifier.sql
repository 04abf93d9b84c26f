-- A request may work by a template that is not the published one any more: of the second in which its node
-- does not know better, or because it was under way. What such a request takes for an identifier that passes
-- share may be unique by now. So the database knows which are, and says so when one is inserted.
create table unique_identifier (
  tenant_id text not null,
  pass_type text not null,
  name text collate "C" not null,
  primary key (tenant_id, pass_type, name)
);
select isolate_tenants('unique_identifier');

-- Whether passes of these types may share identifiers of these names. No publication changes that before the
-- end of the transaction: it waits for the lock.
create function may_share_identifiers(tenant text, pass_types text[], names text[]) returns boolean
language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended(tenant || ' unique identifiers', 0));
  -- A statement of its own: it sees what was committed while the lock was waited for.
  return not exists (
    select from unique_identifier
      join unnest(pass_types, names) as shared (pass_type, name) using (pass_type, name)
     where tenant_id = tenant);
end
$$;
