-- The status before the movements that changed it is kept, so that undoing one of them finds its way back.

alter table privilege
  -- The status that the creation or a PUT gave, and the number of the last movement then.
  add column given_status text not null default 'available',
  add column given_status_sequence integer not null default 0;

select set_config('app.tenant', '*', true);
-- Of known privileges, redemptions and issuances are taken for what made the status what it is.
update privilege
   set given_status = case
         when type = 'OneTime' and status = 'used' and sequence > sequence_from then 'available'
         when type = 'Unlockable' and status = 'available' and sequence > sequence_from then 'locked'
         else status end,
       given_status_sequence = case
         when type = 'OneTime' and status = 'used' then sequence_from
         when type = 'Unlockable' and status = 'available' then sequence_from
         else sequence end;
