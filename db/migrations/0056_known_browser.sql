-- Browsers that have signed in to an account are let in while strangers guess its password.

create table known_browser (
  -- Hash of the token in the cookie of the browser; the token itself is not stored.
  token_hash bytea primary key,
  administrator_id text not null references administrator (id) on delete cascade,
  -- The last sign-in: each sign-in replaces the token.
  created_at timestamptz not null,
  expires_at timestamptz not null
);
select keep_from_tenants('known_browser');
create index known_browser_administrator on known_browser (administrator_id, created_at);
create index known_browser_expiry on known_browser (expires_at);
