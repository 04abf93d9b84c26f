-- Google was sent UTC as the local time of events, journeys and ends of validity. What it has of former releases is
-- brought up to date by itself: without a hash, a class or an object is sent at its next turn, and that rings nobody.
select set_config('app.tenant', '*', true);
update google_class set content_hash = '' where google_type in ('eventTicket', 'flight');

-- One after the other, ten in a second for each tenant; a change goes before all of them.
update google_object
   set content_hash = null, due_at = now() + make_interval(secs => turn.number / 10.0)
  from (select tenant_id, pass_id, row_number() over (partition by tenant_id order by pass_id) as number
          from google_object
         where state = 'sent' and due_at is null and claim_token is null and not is_erased
           and content_hash is not null
           and (google_type in ('eventTicket', 'flight', 'transit') or 'validTimeInterval' = any(members))) as turn
 where google_object.tenant_id = turn.tenant_id and google_object.pass_id = turn.pass_id;
