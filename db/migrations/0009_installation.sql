-- The few facts that belong to the installation as a whole and must be the same on every node.

create table installation (
  name text primary key,
  value bytea not null,
  created_at timestamptz not null default now()
);
-- It holds the hash of the operator's key: no statement that runs for a tenant may come near it.
select keep_from_tenants('installation');
