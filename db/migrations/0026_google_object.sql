-- Passes at Google Wallet: what Google was told of each, what it still has to be told, and what it told us.

create table google_object (
  tenant_id text not null references tenant (id) on delete cascade,
  -- No reference to the pass: Google has to hear of its erasure after its row is gone.
  pass_id text not null,
  object_id text not null,
  class_id text,
  google_type text,
  -- Rises with everything that may change the object, however often that is before it is sent.
  revision integer not null default 1,
  sent_revision integer not null default 0,
  -- Of the content that Google has; null until it has some.
  content_hash text,
  -- The paths of its members: those that are no longer there have to be taken away.
  members text[] not null default '{}',
  state text not null default 'queued' check (state in ('queued', 'sent', 'failed', 'denied')),
  problem text,
  attempts integer not null default 0,
  -- Of the oldest change that Google has not been told of.
  queued_at timestamptz not null default now(),
  -- When there is something to do; the end of the claim while somebody does it; null for nothing.
  due_at timestamptz,
  claim_token uuid,
  is_erased boolean not null default false,
  saved_count integer not null default 0,
  saved_at timestamptz,
  removed_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (tenant_id, pass_id)
);
select isolate_tenants('google_object');
create index google_object_due on google_object (due_at) where due_at is not null;
create index google_object_name on google_object (tenant_id, object_id);

create table google_class (
  tenant_id text not null references tenant (id) on delete cascade,
  class_id text not null,
  pass_type text not null,
  google_type text not null,
  -- The version of the tenant's files that the content was made from.
  configuration_version integer not null,
  content_hash text not null,
  members text[] not null,
  review_status text,
  problem text,
  sent_at timestamptz,
  updated_at timestamptz not null,
  primary key (tenant_id, class_id)
);
select isolate_tenants('google_class');

create table google_message (
  tenant_id text not null references tenant (id) on delete cascade,
  -- The id of the event that asked for it.
  id text not null,
  pass_id text not null,
  title text,
  content text,
  localized_content jsonb not null,
  created_at timestamptz not null,
  sent_at timestamptz,
  -- Whether it made the phone ring; null until it was sent. Google allows three in 24 hours.
  has_notified boolean,
  problem text,
  primary key (tenant_id, id)
);
select isolate_tenants('google_message');
create index google_message_pass on google_message (tenant_id, pass_id, id);
create index google_message_age on google_message (created_at);

-- Callbacks that came already: Google may send one several times.
create table google_nonce (
  tenant_id text not null references tenant (id) on delete cascade,
  nonce text not null,
  -- From then on the callback itself is refused.
  expires_at timestamptz not null,
  primary key (tenant_id, nonce)
);
select isolate_tenants('google_nonce');
create index google_nonce_end on google_nonce (expires_at);

-- Tenants whose account Google refuses: nothing is sent for them until then.
create table google_halt (
  tenant_id text primary key references tenant (id) on delete cascade,
  until timestamptz not null,
  problem text not null
);
select isolate_tenants('google_halt');
