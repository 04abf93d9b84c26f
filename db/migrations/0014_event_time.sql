-- Whoever reads "since yesterday", and the job that deletes what is too old, look for events by time.
-- Ids are ordered by time too, but only as bytes: not in a database with a collation of its own.
create index event_time on event (tenant_id, occurred_at);
