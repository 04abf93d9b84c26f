-- Whoever looks at what was redeemed lately reads the movements of all privileges by time, the newest first.
-- No other order has an index: each one is written while somebody waits at a till.
create index movement_time on movement (tenant_id, occurred_at, id);
