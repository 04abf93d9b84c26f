-- Purchases as their customers may see them again: a receipt for each, shown by a page under an unguessable link.
create table receipt (
  tenant_id text not null,
  id text collate "C" not null,
  -- The unguessable part of its public address.
  secret text not null,
  -- Who told of the purchase, and its number there: however often it is told, it is one receipt.
  source text not null,
  reference text not null,
  -- A hash of what was sent, to tell the same purchase from another one with its number.
  fingerprint text not null,
  pass_id text collate "C",
  customer_id text collate "C",
  store_id text,
  store_name text,
  store_address text,
  occurred_at timestamptz not null,
  currency text not null,
  -- Amounts within are texts, so that no reader of JSON changes a digit.
  lines jsonb not null,
  line_count integer not null,
  subtotal numeric(19, 4),
  taxes jsonb not null,
  total numeric(19, 4) not null,
  paid_by text,
  refunds jsonb not null default '[]',
  refunded numeric(19, 4) not null default 0 check (refunded >= 0),
  points_earned numeric(19, 4),
  note text,
  locale text,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  check (refunded = 0 or refunded <= total)
);
select isolate_tenants('receipt');
create unique index receipt_reference on receipt (tenant_id, source, reference);
create index receipt_pass on receipt (tenant_id, pass_id, occurred_at, id) where pass_id is not null;
create index receipt_customer on receipt (tenant_id, customer_id) where customer_id is not null;
create index receipt_time on receipt (tenant_id, occurred_at);
