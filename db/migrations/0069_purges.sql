-- Old rows are deleted tenant by tenant, in batches: an index leads to the oldest of each.
-- google_message_age stays for processes of the release before, and goes with the next one.
create index google_message_sent on google_message (tenant_id, sent_at) where sent_at is not null;
create index google_message_unsent on google_message (tenant_id, created_at) where sent_at is null;
create index connector_refusal_age on connector_refusal (tenant_id, refused_at);
