-- The second lock on every tenant's rows: a forgotten `where` finds nothing instead of everything.

-- Superusers and table owners step around row-level security, so requests run under a role that is
-- neither. Where the server does not let us make one, FORCE below holds the owner to the policies.
do $$
begin
  if not exists (select from pg_roles where rolname = 'billfold_app') then
    create role billfold_app nologin;
  end if;
  -- Whoever makes a role may hand it on, but from PostgreSQL 16 on not yet step into it.
  execute format('grant billfold_app to %I', current_user);
exception
  when insufficient_privilege then raise notice 'role billfold_app is not available';
  -- Roles belong to the server: another of its databases is being prepared at the same moment.
  when duplicate_object or unique_violation or internal_error then null;
end
$$;

-- The role is shared by all installations on a server; nobody but the owner enters this database.
do $$
begin
  execute format('revoke connect on database %I from public', current_database());
exception
  when insufficient_privilege then raise notice 'connecting to this database is left as it is';
end
$$;

-- Called once per table that holds tenants' rows, after its creation.
create function isolate_tenants(target regclass, tenant_column text default 'tenant_id') returns void
language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format(
    'create policy tenant on %s using (%I = current_setting(''app.tenant'', true) or current_setting(''app.tenant'', true) = ''*'')',
    target, tenant_column);
  perform grant_to_app(target);
end
$$;

create function grant_to_app(target regclass) returns void
language plpgsql as $$
begin
  if exists (select from pg_roles where rolname = 'billfold_app') then
    execute format('grant select, insert, update, delete on %s to billfold_app', target);
  end if;
end
$$;
