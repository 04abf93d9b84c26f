-- Google lets a class notify the holders of its passes a few times in a day: when it did is kept with the class.
alter table google_class add column notified_at timestamptz[] not null default '{}';
