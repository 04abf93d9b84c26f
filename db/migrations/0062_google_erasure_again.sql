-- Erased passes that Google did not let be emptied were not tried again; they are from this release on, and so are
-- those that were left before it.
select set_config('app.tenant', '*', true);
update google_object
   set due_at = now()
 where is_erased and due_at is null and claim_token is null;
