-- Scanners at doors and tills: each has settings and a key of its own, and can be lost without the others.

create table device (
  tenant_id text not null references tenant (id) on delete cascade,
  -- Ordered by time, as bytes. It is the name of the device's key in `api_key`.
  id text collate "C" not null,
  name text not null,
  settings jsonb not null,
  status text not null default 'registered' check (status in ('registered', 'connected')),
  -- When its key was last used, some seconds behind.
  last_seen_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
select isolate_tenants('device');

-- Codes by which a scanner gets its key without anybody typing it. A new one replaces the one before.
create table device_pairing (
  tenant_id text not null,
  device_id text collate "C" not null,
  -- HMAC under the master key: six characters are found from a plain hash within a second.
  code_hash bytea not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  created_by text not null,
  primary key (tenant_id, device_id),
  foreign key (tenant_id, device_id) references device on delete cascade
);
select isolate_tenants('device_pairing');
-- Whoever pairs names no tenant: the code alone leads to the device.
create unique index device_pairing_code on device_pairing (code_hash);
