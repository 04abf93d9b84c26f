-- Images of passes in the sizes that wallets show: made once of a source, kept while they are asked for.

create table fitted_image (
  tenant_id text not null references tenant (id) on delete cascade,
  source_hash bytea not null,
  -- Everything that the pixels follow from besides the source: slot, size, shape, colour below.
  slot text not null,
  scale smallint not null,
  width integer not null,
  height integer not null,
  content bytea not null,
  -- To the day. What nobody asks for any more can go: it is made again when it is wanted.
  used_at timestamptz not null,
  primary key (tenant_id, source_hash, slot, scale)
);
-- A PNG does not become smaller by trying.
alter table fitted_image alter column content set storage external;
select isolate_tenants('fitted_image');
create index fitted_image_used on fitted_image (used_at);
