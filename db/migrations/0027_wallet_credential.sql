-- Tenants hear of a certificate that expires soon once for each mark, however often it is looked at.

create table wallet_credential_notice (
  tenant_id text not null,
  -- SHA-256 of the certificate: a renewed one is told of anew.
  fingerprint text not null,
  days_before integer not null,
  told_at timestamptz not null,
  primary key (tenant_id, fingerprint, days_before)
);
select isolate_tenants('wallet_credential_notice');
