-- People enrol by a public form: each person gets one pass of a type, and links tell where they came from.

create table enrolment_link (
  tenant_id text not null,
  code text collate "C" not null,
  pass_type text not null,
  store_id text,
  source text,
  enabled boolean not null,
  -- Of nobody in particular: no address, no browser and no time is kept.
  visits integer not null default 0,
  enrolments integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, code)
);
select isolate_tenants('enrolment_link');

create table enrolment (
  tenant_id text not null,
  pass_type text not null,
  -- The hash of what a person is recognised by, such as the e-mail address: two that enrol at once
  -- meet here, and one of them waits for the other.
  person bytea not null,
  -- The hash of a secret of the form that was sent: whoever sends the same form again is led to the
  -- same pass. Nobody else is.
  attempt bytea not null,
  pass_id text collate "C" not null,
  created_at timestamptz not null,
  primary key (tenant_id, pass_type, person)
);
select isolate_tenants('enrolment');
create index enrolment_of_pass on enrolment (tenant_id, pass_id);
