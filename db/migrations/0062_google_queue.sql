-- What waits for Google is found tenant by tenant: one with a million passes in the queue slows no other one down.
-- Passes that have changed are queued; those that have not ('sent') are merely brought up to date, after them.
-- google_object_due stays for processes of the release before, and goes with the next one.
create index google_object_queued on google_object (tenant_id, due_at)
  where due_at is not null and state <> 'sent';
create index google_object_unchanged on google_object (tenant_id, due_at)
  where due_at is not null and state = 'sent';
-- Claims of a batch are renewed by their token.
create index google_object_claim on google_object (claim_token) where claim_token is not null;
