-- A class of an event or journey is made from whichever of its passes is sent: one whose times and place are older
-- than those of another pass does not turn the class back.

-- When the pass was given the times and the place that `announced_hash` stands for; null if its class does not take them.
alter table google_object add column announced_at timestamptz;
-- The version of the pass that was last sent: without another one, what is new comes from the tenant's files.
alter table google_object add column pass_version integer;
-- The same time of the pass that the class was last made from; null for classes that all passes of a type share.
alter table google_class add column announced_at timestamptz;
create index google_object_class on google_object (tenant_id, class_id, announced_at desc nulls last);
