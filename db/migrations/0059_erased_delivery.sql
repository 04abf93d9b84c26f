-- An endpoint may answer after an erasure with what it was sent before: its delivery knows that this must not be kept.
alter table delivery add column is_erased boolean not null default false;
