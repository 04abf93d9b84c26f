-- Whoever looks at a pass sees what happened to it in order of time, each with the request that caused it.
alter table event add column request_id text;
alter table job add column request_id text;

create index event_subject_time on event (tenant_id, subject, occurred_at, sequence) where subject is not null;
drop index event_subject;
