-- The health of a wallet says since when Google refuses the account.
alter table google_halt add column since timestamptz not null default now();
