-- Google was sent UTC as the local time of events, journeys and ends of validity. What it has of former releases is
-- brought up to date by itself: with another hash, a class or an object is sent at its next turn, and no phone rings.
select set_config('app.tenant', '*', true);
update google_class set content_hash = ''
 where google_type in ('eventTicket', 'flight') and problem is null;

-- One after the other, five in a second for each issuer, of the twenty requests that Google takes from it. Real
-- changes are sent before those that wait for their turn.
update google_object
   set content_hash = 'outdated', due_at = now() + make_interval(secs => turn.number / 5.0)
  from (select tenant_id, pass_id,
               row_number() over (partition by split_part(object_id, '.', 1)
                                      order by tenant_id, pass_id) as number
          from google_object
         where state = 'sent' and due_at is null and claim_token is null and not is_erased
           and content_hash is not null
           and (google_type in ('eventTicket', 'flight', 'transit') or 'validTimeInterval' = any(members))) as turn
 where google_object.tenant_id = turn.tenant_id and google_object.pass_id = turn.pass_id;

create index google_object_changed on google_object (tenant_id, due_at)
  where due_at is not null and state <> 'sent';

-- The pass of a class that last said its time and place.
create index google_object_class on google_object (tenant_id, class_id, announced_at desc nulls last);
