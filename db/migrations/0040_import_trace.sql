-- Erasing a pass also erases what failed imports and dry runs tell of it: they are found by its identifiers.

-- Which outcomes name an identifier, by its hash: those of rows that failed, and those that have no pass. A
-- GIN index would need no table, but under row-level security no index answers `@>`.
create table import_trace (
  tenant_id text not null,
  term bigint not null,
  file_id text collate "C" not null,
  row integer not null,
  primary key (tenant_id, term, file_id, row)
);
select isolate_tenants('import_trace');

create function import_term_of(name text, value text) returns bigint
language sql immutable parallel safe
return hashtextextended(name || '=' || value, 0);

select set_config('app.tenant', '*', true);
insert into import_trace (tenant_id, term, file_id, row)
select tenant_id, import_term_of(key, value), file_id, row
  from import_outcome cross join jsonb_each_text(identifiers)
 where outcome = 'failed' or pass_id is null
    on conflict do nothing;

-- A file whose contents were imported before has no rows of its own.
create index import_file_duplicate on import_file (tenant_id, duplicate_of) where duplicate_of is not null;
-- An import that sent messages, or erased passes, is told by the sentences of its rows.
create index import_outcome_told on import_outcome (tenant_id, file_id) where outcome <> 'failed' and message is not null;
