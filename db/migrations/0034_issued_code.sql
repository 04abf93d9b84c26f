-- The codes that passes were issued with, so that a scan finds the pass by any of them, old ones too.
create table issued_code (
  tenant_id text not null,
  pass_id text collate "C" not null,
  -- Of the code, which may be too long for an index. Whoever looks up compares the code itself after.
  code_hash bytea not null,
  code text collate "C" not null,
  -- When the version of the pass was made that has the code; the last one if there are several.
  issued_at timestamptz not null,
  primary key (tenant_id, pass_id, code_hash)
);
select isolate_tenants('issued_code');
create index issued_code_hash on issued_code (tenant_id, code_hash);

-- Passes whose codes take longer to make than a transaction may last; noted in the background.
create table code_due (
  tenant_id text not null,
  pass_id text collate "C" not null,
  -- Rises when the pass changes again before its turn.
  revision integer not null default 1,
  primary key (tenant_id, pass_id)
);
select isolate_tenants('code_due');

-- By which rules of the templates the codes of a tenant's passes were noted.
create table code_walk (
  tenant_id text primary key,
  -- A fingerprint by pass type.
  rules jsonb not null,
  -- How far a walk over all passes came; null if none is under way.
  after_pass text collate "C"
);
select isolate_tenants('code_walk');

-- Passes that were made before codes were kept: each tenant's are walked over once.
insert into code_walk (tenant_id, rules, after_pass)
select id, '{}', '' from tenant where exists (select from pass where pass.tenant_id = tenant.id);
