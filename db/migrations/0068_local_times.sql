-- What former releases left wrong at Google, and the job `google-object.update-outdated` puts right. No row is changed
-- here: processes of the former release may still run, and would write the same once more.

-- Times in UTC where Google expects the local time (hashes of contents with local times begin with `local:`), generic
-- passes that Google refused because of `notifyPreference`, and erased passes that could not be emptied.
create index google_object_outdated on google_object (tenant_id, pass_id)
  where due_at is null and claim_token is null
    and (is_erased
         or state = 'failed' and google_type = 'generic' and problem like '%notifyPreference%'
         or state = 'sent' and content_hash not like 'local:%'
            and (google_type = 'transit' or 'validTimeInterval' = any(members)));

create index google_class_outdated on google_class (tenant_id, class_id)
  where google_type in ('eventTicket', 'flight') and problem is null
    and content_hash <> '' and content_hash not like 'local:%';
