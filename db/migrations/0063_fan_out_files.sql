-- A publication is told to the devices whose passes it may change. A walk knows which files it is about.
alter table apple_fan_out
  -- Changed files that passes show; null if any pass may have changed.
  add column paths text[],
  -- The newest version of the files that `paths` covers. A walk that was begun, or begun again, without saying
  -- so covers none, and goes over all passes.
  add column version integer not null default 0;
