-- Whoever looks at what was sent lately reads the deliveries of all webhooks, the newest event first.
-- The time is in the index so that those of before a time are passed over without reading their rows.
create index delivery_event on delivery (tenant_id, event_id, webhook_id, created_at);
-- What failed is looked for most and is rare. A delivery that arrives before it is given up never enters
-- this index, so most of them cost nothing here.
create index delivery_failed on delivery (tenant_id, event_id, webhook_id) where state = 'failed';
