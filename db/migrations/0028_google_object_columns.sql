-- Nothing reads these: the revision and the content hash say what Google has, and the installations
-- of a pass say since when it is saved.

alter table google_object
  drop column sent_revision,
  drop column saved_at,
  drop column removed_at;
