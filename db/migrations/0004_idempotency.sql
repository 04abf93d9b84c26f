-- One answer per Idempotency-Key, written with the effect it answers for and kept for a day.

create table idempotent_answer (
  tenant_id text not null,
  credential_id text not null,
  op text not null,
  key_hash bytea not null,
  body_hash text not null,
  -- Sealed: answers may carry a token that is shown only once.
  answer bytea not null,
  created_at timestamptz not null,
  primary key (tenant_id, credential_id, op, key_hash)
);
select isolate_tenants('idempotent_answer');
create index idempotent_answer_age on idempotent_answer (created_at);
