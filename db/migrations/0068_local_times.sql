-- What former releases left wrong at Google, and the job `google-object.update-outdated` puts right. No row is changed
-- here: processes of the former release may still run, and would write the same once more.

-- When the job last gave a pass a turn: once is enough where Google may have had another reason to refuse it.
alter table google_object add column renewed_at timestamptz;

-- Times in UTC where Google expects the local time (hashes of contents with local times begin with `local:`), generic
-- passes that Google refused because of `notifyPreference`, and erased passes that could not be emptied.
create index google_object_outdated on google_object (tenant_id, pass_id)
  where due_at is null and claim_token is null
    and (is_erased
         or state = 'failed' and google_type = 'generic' and problem like '%notifyPreference%'
            and renewed_at is null
         or state = 'sent' and content_hash not like 'local:%'
            and (google_type = 'transit' or 'validTimeInterval' = any(members)));

-- Classes in UTC, and those of which a process that died may have sent another content.
create index google_class_outdated on google_class (tenant_id, class_id)
  where sent_at is not null
    and (content_hash = ''
         or google_type in ('eventTicket', 'flight') and problem is null
            and content_hash not like 'local:%' and content_hash <> 'no-pass');
