-- The version for which a class was sent again because Google said that it does not know it: many passes meet that at
-- the same time, and a class that stays unknown must not be sent with each of them.
alter table google_class add column resent_version integer;
