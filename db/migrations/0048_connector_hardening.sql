-- Whom to erase at a vendor is kept sealed, and events that a vendor refused can be sent again.

-- The identifiers stood in the key, where nothing can be sealed. Rows of before keep theirs until the vendor was told.
alter table connector_erasure add column id text collate "C" not null default gen_random_uuid()::text;
alter table connector_erasure add column sealed bytea;
alter table connector_erasure drop constraint connector_erasure_pkey;
alter table connector_erasure add primary key (tenant_id, connector, id);
alter table connector_erasure alter column person drop not null;
alter table connector_erasure add constraint connector_erasure_person check (num_nonnulls(person, sealed) = 1);
create index connector_erasure_due on connector_erasure (tenant_id, connector, next_attempt_at);

-- Somebody asked for it: the next turn of the feed sends it once more.
alter table connector_refusal add column again boolean not null default false;
create index connector_refusal_again on connector_refusal (tenant_id, connector, event_id) where again;
