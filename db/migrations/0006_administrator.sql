-- People who sign in. They belong to the installation, not to one tenant.

-- Called once per table of the installation itself: a statement that runs for a tenant sees nothing.
create function keep_from_tenants(target regclass) returns void
language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format(
    'create policy installation on %s using (current_setting(''app.tenant'', true) = ''*'')', target);
  perform grant_to_app(target);
end
$$;

create table administrator (
  id text primary key,
  email text not null check (length(email) between 3 and 254),
  name text not null,
  -- Null until the invitation is used.
  password_hash text,
  role text not null check (role in ('global', 'tenant')),
  tenants text[] not null default '{}',
  disabled boolean not null default false,
  -- A new password ends what was signed in with the old one.
  tokens_valid_from timestamptz not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  last_sign_in_at timestamptz
);
select keep_from_tenants('administrator');
create unique index administrator_email on administrator (lower(email));

-- One-time links: the first sign-in of an installation, and invitations. Only a hash is kept.
create table sign_in_link (
  token_hash bytea primary key,
  -- Null: whoever opens it becomes the first administrator.
  administrator_id text references administrator (id) on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null
);
select keep_from_tenants('sign_in_link');
create index sign_in_link_administrator on sign_in_link (administrator_id);

-- Failures per account and per address, shared by all nodes.
create table sign_in_attempt (
  -- Hash of what is counted, so that mistyped addresses and passwords are not collected here.
  subject bytea primary key,
  failures integer not null,
  last_at timestamptz not null,
  blocked_until timestamptz not null
);
select keep_from_tenants('sign_in_attempt');
create index sign_in_attempt_age on sign_in_attempt (last_at);
