-- Where passes are tried out without a certificate of Apple's, a tenant signs them by an authority of its own.

-- Made at first need by whichever node is first, then shared by all.
create table apple_authority (
  tenant_id text not null references tenant (id) on delete cascade,
  -- 'authority' for the certificates above, a pass type identifier for the one that signs its passes.
  name text not null,
  -- Certificates and their private key.
  sealed bytea not null,
  created_at timestamptz not null,
  primary key (tenant_id, name)
);
select isolate_tenants('apple_authority');
