-- How much of each quota the nodes have leased in the current window. Nodes count by themselves and
-- come here once per portion, never once per request.

-- Unlogged: a crash empties it, and all that is lost is who had asked how often in the last minute.
create unlogged table rate_limit (
  tenant_id text not null,
  credential_id text not null,
  op text not null,
  window_seconds integer not null,
  ends_at timestamptz not null,
  taken integer not null,
  -- The portion given last, for the statement that took it to return.
  granted integer not null,
  primary key (tenant_id, credential_id, op, window_seconds)
)
-- No further index and half of each page free: every update stays on its page and in no index.
with (fillfactor = 50);
select isolate_tenants('rate_limit');
