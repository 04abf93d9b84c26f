-- Changes of the passes on one device that follow each other within a second are one push.
alter table apple_device
  -- When the device was last pushed to, or was about to be.
  add column pushed_at timestamptz;
