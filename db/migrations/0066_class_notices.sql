-- Google tells holders of a change of an event or flight: what it last told, and when, is kept with the class.

-- The hash of those members of the class whose changes holders are told of; null for classes of before, whose
-- next change is told to nobody.
alter table google_class add column announced_hash text;
-- The same hash by the data of the pass that was last sent: one whose own data stay as they are announces nothing.
alter table google_object add column announced_hash text;
-- When changes of the class made phones ring, within a day: Google allows a few.
alter table google_class add column notified_at timestamptz[] not null default '{}';
