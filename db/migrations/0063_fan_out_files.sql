-- A publication is told to the devices whose passes it may change. A walk knows which files it is about.
alter table apple_fan_out
  -- Changed files that passes show, and texts of locales; null if any pass may have changed.
  add column paths text[],
  -- The newest version of the files that `paths` covers. A process of the release before begins a walk and does not
  -- set it. So a walk whose version is not the newest one goes over all passes.
  add column version integer not null default 0;
