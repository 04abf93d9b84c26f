-- Every change of the value of a privilege, kept for as long as the pass is: the value is the sum of them.

alter table privilege
  -- The number of the last movement, and of the last one before the privilege was created anew.
  add column sequence integer not null default 0,
  add column sequence_from integer not null default 0;

-- Whether the content that was issued last shows privileges: only then are devices told of movements.
alter table apple_pass add column shows_privileges boolean not null default true;

create table movement (
  tenant_id text not null,
  pass_id text collate "C" not null,
  privilege_id text not null,
  -- From 1 without gaps, also across a deletion of the privilege and its creation anew.
  sequence integer not null,
  id text collate "C" not null,
  type text not null check (type in ('issuance', 'redemption', 'adjustment')),
  -- One digit more than a value has: from the least to the greatest value in one step.
  value numeric(20, 4) not null check (value <> 0),
  -- Null where the privilege has no value, and only its uses are recorded.
  value_before numeric(19, 4),
  value_after numeric(19, 4),
  reason text,
  reference text,
  metadata jsonb not null default '{}',
  -- The movement that this one undoes.
  reverses text collate "C",
  occurred_at timestamptz not null,
  created_at timestamptz not null,
  primary key (tenant_id, pass_id, privilege_id, sequence)
);
select isolate_tenants('movement');
create unique index movement_id on movement (tenant_id, id);
create unique index movement_reversal on movement (tenant_id, reverses) where reverses is not null;

-- A ledger that can be rewritten proves nothing. Only the erasure of a pass deletes its movements, and the
-- removal of a tenant that was deleted.
create function keep_movements() returns trigger
language plpgsql as $$
begin
  if tg_op = 'DELETE'
     and (current_setting('app.erased_pass', true) = old.pass_id
          or exists (select from tenant where id = old.tenant_id and deleted_at is not null)) then
    return old;
  end if;
  raise exception 'movements are never changed or deleted' using errcode = 'insufficient_privilege';
end
$$;
create trigger movement_is_kept before update or delete on movement
  for each row execute function keep_movements();

select set_config('app.tenant', '*', true);
-- What privileges have had so far becomes their first movement.
insert into movement (tenant_id, pass_id, privilege_id, sequence, id, type, value, value_before, value_after,
                      reason, occurred_at, created_at)
select tenant_id, pass_id, id, 1,
       'mv_' || substr(md5(tenant_id || ' ' || pass_id || ' ' || id), 1, 22),
       case when value > 0 then 'issuance' else 'adjustment' end, value, 0, value,
       'Value before the ledger began', created_at, created_at
  from privilege
 where value <> 0;
update privilege set sequence = 1 where value <> 0;
