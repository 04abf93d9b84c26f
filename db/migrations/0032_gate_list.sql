-- A scanner without a network decides by a list that it fetched before: signed, so that no other list passes for it.

create table gate_key (
  tenant_id text not null references tenant (id) on delete cascade,
  -- The thumbprint of the public key, as RFC 7638 defines it.
  id text not null,
  public_key jsonb not null,
  -- The private key.
  sealed bytea not null,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
select isolate_tenants('gate_key');
