import { messageOf } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { Credentials, isUnavailable, type Login } from "./login.service.ts";

const TENANTS_AT_ONCE = 8;

/** A connection that is signed in. */
export type Member = {
  readonly ip: string;
  readonly login: Login;
  end(): void;
};

/**
 * Ends the connections whose password or key is not valid any more. What goes wrong with one of them
 * ends that one: the others are looked at all the same.
 */
export async function reviewLogins(runtime: Runtime, members: readonly Member[]): Promise<void> {
  const left = Map.groupBy(members, ({ login }) => login.tenantId).entries();
  const work = async () => {
    for (const [tenantId, ofTenant] of left) {
      const credentials = new Credentials(runtime, tenantId);
      for (const member of ofTenant) await review(runtime, credentials, member);
    }
  };
  await Promise.all(Array.from({ length: TENANTS_AT_ONCE }, work));
}

async function review(runtime: Runtime, credentials: Credentials, member: Member): Promise<void> {
  const { ip, login } = member;
  const facts = { tenantId: login.tenantId, ip };
  try {
    if (await credentials.stillHas(login)) return;
    runtime.log.info(facts, "sftp: the password or key is not valid any more");
  } catch (error) {
    const reason = messageOf(error);
    if (isUnavailable(error)) {
      // Without the database nobody can read or write files either.
      runtime.log.warn({ ...facts, reason }, "sftp: a session was not reviewed");
      return;
    }
    runtime.log.error({ ...facts, reason }, "sftp: the password or key cannot be checked any more");
  }
  member.end();
}
