-- A class of an event or journey is made from whichever of its passes is sent: one that came to say its times and
-- its place earlier than another does not turn the class back.

-- When the pass was changed that came to say what `announced_hash` stands for.
alter table google_object add column announced_at timestamptz;
-- The same of the pass that the class was last made from; null for classes that all passes of a type share.
alter table google_class add column announced_at timestamptz;
