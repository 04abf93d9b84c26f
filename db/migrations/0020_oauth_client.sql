-- Programs that may send people to the built-in authorization server. They belong to the installation.

create table oauth_client (
  id text primary key,
  name text not null,
  -- Compared to the letter.
  redirect_uris text[] not null check (cardinality(redirect_uris) > 0),
  flows text[] not null check (cardinality(flows) > 0),
  version integer not null default 1,
  created_at timestamptz not null,
  created_by text not null,
  updated_at timestamptz not null
);
select keep_from_tenants('oauth_client');
