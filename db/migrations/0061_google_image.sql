-- The addresses of pictures that Google was given: passes carry them for years, and links that hold a whole pass for
-- ever, so they lead to their picture also when a later version has another one. A name follows from its row.
create table google_image (
  tenant_id text not null references tenant (id) on delete cascade,
  name text not null,
  source_hash bytea not null,
  slot jsonb not null,
  created_at timestamptz not null,
  primary key (tenant_id, name)
);
select isolate_tenants('google_image');
