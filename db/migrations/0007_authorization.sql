-- What the authorization server remembers: sessions, grants, codes, refresh tokens, and its keys.

create table authorization_record (
  model text not null,
  -- The id of a session or token is the secret itself, so the row is found by its hash.
  id_hash bytea not null,
  -- Sealed for the same reason: the payload repeats the id.
  payload bytea not null,
  account_id text,
  grant_hash bytea,
  uid_hash bytea,
  user_code_hash bytea,
  consumed_at timestamptz,
  expires_at timestamptz,
  primary key (model, id_hash)
);
select keep_from_tenants('authorization_record');
create index authorization_record_account on authorization_record (account_id);
create index authorization_record_grant on authorization_record (grant_hash);
create index authorization_record_uid on authorization_record (model, uid_hash);
create index authorization_record_user_code on authorization_record (model, user_code_hash);
create index authorization_record_expiry on authorization_record (expires_at);

-- Made at first need by whichever node is first, then shared by all. The newest one signs.
create table authorization_key (
  kind text not null check (kind in ('signing', 'cookie')),
  generation integer not null,
  sealed bytea not null,
  created_at timestamptz not null,
  primary key (kind, generation)
);
select keep_from_tenants('authorization_key');
