-- The times, the place and the status of an event or journey stand on a class at Google, which many passes share. They
-- are kept with the class and follow the changes of its passes, so a class can be made from any of its passes, and a
-- ticket that still has the time of before does not turn it back.
alter table google_class
  -- As Google has them; null for a class that a former release sent, or nobody.
  add column facts jsonb,
  -- Which passes brought them, and since when these have them.
  add column fact_sources jsonb not null default '{}',
  -- Names and hashes of facts that were replaced or cleared: a pass that brings one of them is late.
  add column past_facts text[] not null default '{}',
  -- One process at a time sends a class, and until when.
  add column claim_token uuid,
  add column claimed_until timestamptz;

-- The facts that were last taken from the pass: their hashes, for which class, since when the pass has them, and its
-- version then.
alter table google_object add column taken_facts jsonb;

-- The pass of a class that was changed last.
create index google_object_class on google_object (tenant_id, class_id, queued_at)
  where not is_erased;
