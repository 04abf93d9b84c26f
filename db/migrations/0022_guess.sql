-- For whoever writes by what it believes to be true, instead of asking first and waiting for the answer:
-- a wrong guess fails the transaction, which then looks and runs again. Asking costs a message.
create function require_guess(holds boolean) returns boolean
language plpgsql as $$
begin
  if holds then return true; end if;
  raise exception 'a guess was wrong' using errcode = 'ZG001';
end
$$;
