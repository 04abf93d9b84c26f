-- A fan-out fills whole pages with new deliveries and changes each of them twice at once. With room left in
-- the page, the first of these changes touches no index: a claim then takes half the time.
alter table apple_delivery set (fillfactor = 40);
