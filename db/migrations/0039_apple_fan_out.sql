-- A publication is told to all devices of a tenant. Each of its deliveries is written twice instead of three
-- times, and the second time touches no index.

-- How far the walk over the passes of a tenant has come. There is a row while devices are left to be told.
create table apple_fan_out (
  tenant_id text primary key,
  -- The last pass that is done.
  pass_id text collate "C" not null
) with (fillfactor = 50);
select isolate_tenants('apple_fan_out');

-- Deliveries of a fan-out that a worker is pushing: those of a range of passes with the same claim. They are
-- not due before the device had time to fetch. If the worker dies, they are due when the claim has run out.
create table apple_push_batch (
  tenant_id text not null,
  claim uuid not null,
  -- The pass before the first one, and the last one.
  after_pass_id text collate "C" not null,
  last_pass_id text collate "C" not null,
  claimed_until timestamptz not null,
  primary key (tenant_id, claim)
);
select isolate_tenants('apple_push_batch');

-- What is open for a device is found by the passes that it is registered for.
drop index apple_delivery_device;
