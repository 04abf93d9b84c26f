-- What was read by scanners: one row for each scan, with what was decided and shown.
create table scan (
  tenant_id text not null,
  id text collate "C" not null,
  -- As it was read; null since its pass was erased.
  data text,
  type text not null,
  -- The device if it is known, else the credential: whose scans in a row may be one scan read twice.
  scanner text not null,
  device_id text,
  pass_id text collate "C",
  -- What the scan is about: the pass, or a hash of an unknown code.
  about text collate "C" not null,
  decision text not null check (decision in ('accepted', 'rejected')),
  reason text,
  -- What a device without network decided, if it did.
  offline_decision text check (offline_decision in ('accepted', 'rejected')),
  is_offline boolean not null,
  conflict boolean not null,
  location text,
  reference text,
  -- What should be redeemed, as text; null for nothing.
  wish text,
  -- The pass, its privileges and the movement, as they were shown.
  outcome jsonb not null,
  scanned_at timestamptz not null,
  recorded_at timestamptz not null,
  primary key (tenant_id, id)
);
select isolate_tenants('scan');
create index scan_about on scan (tenant_id, about, id);
create index scan_reference on scan (tenant_id, scanner, reference) where reference is not null;
