-- The sum of the ledger stands in the row of its privilege: nobody adds up a long ledger, and the sum has a bound.

alter table privilege
  -- The value, unless the privilege only records.
  add column total numeric(30, 4) not null default 0;

-- Sums from before the bound may have more digits, and what ends them is one movement.
alter table movement alter column value type numeric(30, 4);

select set_config('app.tenant', '*', true);
update privilege
   set total = coalesce(value, (
         select sum(movement.value)
           from movement
          where movement.tenant_id = privilege.tenant_id and movement.pass_id = privilege.pass_id
            and movement.privilege_id = privilege.id), 0)
 where sequence > 0;
