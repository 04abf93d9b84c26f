-- What still ran for a deleted tenant wrote rows that the next tenant of its id could read: transactions
-- under way while the rows were deleted, and work that began before the end and went on after it. So each
-- transaction of a tenant says which tenant it means, and the deletion of rows begins when none is left.

-- When the last tenant of an id ended. Rights that other systems give by the name of a tenant, in tokens,
-- are older than a new tenant of the name if they were given before that time.
create table ended_tenant (
  id text primary key,
  ended_at timestamptz not null
);
select isolate_tenants('ended_tenant', 'id');

-- Begins a transaction of one tenant, and returns since when there is this tenant: null for one that the
-- transaction creates. Fails if the tenant has ended, if there is none and the transaction may not create it,
-- and if the caller means another one, which had the id before. The lock is held until the commit; the
-- deletion of the tenant's rows waits for it.
create function enter_tenant(entered text, known_since timestamptz, may_create boolean) returns timestamptz
language plpgsql as $$
declare
  since timestamptz;
  has_ended boolean;
begin
  perform set_config('app.tenant', entered, true),
          pg_advisory_xact_lock_shared(hashtextextended('tenant ' || entered, 0));
  -- A statement of its own: it sees what was committed while the lock was waited for.
  select date_trunc('milliseconds', created_at), deleted_at is not null
    into since, has_ended
    from tenant
   where id = entered;
  if has_ended or since is distinct from coalesce(known_since, since)
     or (since is null and not may_create) then
    raise exception 'There is no tenant %, or it is another one.', entered using errcode = 'ZT001';
  end if;
  return since;
end
$$;

-- Rights of administrators in tenants that had ended before an end took them away. Those in a tenant whose id
-- had another tenant before stay if they were given after the end of that one, as the audit trail says.
select set_config('app.tenant', '*', true);

insert into ended_tenant (id, ended_at)
select substr(target, length('tenant:') + 1), max(at)
  from audit
 where tenant_id = '*' and op = 'tenant.erase' and target like 'tenant:%'
 group by target;

with meant as (
  select administrator.id,
         array(
           select given.id
             from unnest(administrator.tenants) with ordinality as given (id, position)
             join tenant on tenant.id = given.id and tenant.deleted_at is null
             left join ended_tenant as former on former.id = given.id
            where former.id is null
               or exists (select from audit
                           where audit.tenant_id = '*'
                             and audit.target = 'administrator:' || administrator.id
                             and audit.at > former.ended_at
                             and audit.after -> 'tenants' ? given.id
                             and not coalesce(audit.before -> 'tenants' ? given.id, false))
            order by given.position) as tenants
    from administrator
   where tenants <> '{}'
)
update administrator
   set tenants = meant.tenants, version = version + 1, updated_at = now()
  from meant
 where administrator.id = meant.id and administrator.tenants <> meant.tenants;
