-- Files of executions are deleted in small steps, and a publication keeps the times that were due before it.

-- True while parts of a file are stored, also after the file itself is no longer shown.
alter table task_execution add column has_parts boolean not null default false;

select set_config('app.tenant', '*', true);
update task_execution as execution
   set has_parts = true
 where exists (
         select from task_file_part as part
          where part.tenant_id = execution.tenant_id and part.execution_id = execution.id);

-- A tenant has few files among all its executions.
create index task_execution_with_parts on task_execution (tenant_id, task_id, id) where has_parts;

-- When the files were published whose tasks are planned next; null if that was before this release.
alter table schedule add column published_at timestamptz;
