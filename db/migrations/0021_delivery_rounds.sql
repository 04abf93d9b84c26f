-- Attempts that somebody asks for are counted with all others: what decides when the next one follows
-- is counted by itself.
alter table delivery
  -- Of the present round of tries; someone may begin another one.
  add column round_attempts integer not null default 0,
  -- The next attempt was asked for by somebody.
  add column by_hand boolean not null default false;

select set_config('app.tenant', '*', true);
update delivery set round_attempts = attempt_count where state = 'pending' and attempt_count > 0;
-- From now on: of all rounds.
update delivery
   set attempt_count = jsonb_array_length(attempts)
 where jsonb_array_length(attempts) > attempt_count;
