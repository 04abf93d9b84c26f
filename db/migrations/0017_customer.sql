-- Customers and stores of a tenant, and what it takes to erase a person everywhere.

create table customer (
  tenant_id text not null,
  -- Ordered by time, as bytes.
  id text collate "C" not null,
  identifiers jsonb not null,
  email text,
  phone text,
  first_name text,
  last_name text,
  locale text,
  -- By name: whether it was granted, when and where.
  consents jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
select isolate_tenants('customer');
create index customer_created on customer (tenant_id, created_at, id);
create index customer_updated on customer (tenant_id, updated_at, id);
create index customer_email on customer (tenant_id, email, id);
create index customer_phone on customer (tenant_id, phone, id);
create index customer_name on customer (tenant_id, last_name, id);

-- Written and erased together with the customer: no two of a tenant share one.
create table customer_identifier (
  tenant_id text not null,
  name text not null,
  value text not null,
  customer_id text collate "C" not null,
  primary key (tenant_id, name, value)
);
select isolate_tenants('customer_identifier');
create index customer_identifier_customer on customer_identifier (tenant_id, customer_id);

-- As `server/stores.yml` of the version in force has them, written when it is published: what differs
-- from the version before is found without reading that one again.
create table store (
  tenant_id text not null,
  id text collate "C" not null,
  name text not null,
  address text,
  location jsonb,
  text text,
  version integer not null default 1,
  primary key (tenant_id, id)
);
select isolate_tenants('store');

-- Whom a stored answer tells of: it is emptied with them, and stays to keep the request from being
-- run again.
alter table idempotent_answer alter column answer drop not null;
create table idempotent_subject (
  tenant_id text not null,
  subject text not null,
  credential_id text not null,
  op text not null,
  key_hash bytea not null,
  primary key (tenant_id, credential_id, op, key_hash, subject),
  foreign key (tenant_id, credential_id, op, key_hash)
    references idempotent_answer (tenant_id, credential_id, op, key_hash) on delete cascade
);
select isolate_tenants('idempotent_subject');
create index idempotent_subject_subject on idempotent_subject (tenant_id, subject);
