// What people typed and got, for as long as this tab is open: a reload keeps it, nobody else sees
// it, and it is never part of an address.

const NAME = "billfold-docs";
export const NOTHING = { tenant: "", key: "", token: "", expiresAt: 0 };

/** A token that ran out is as good as none. */
export function readCredentials() {
  let kept = NOTHING;
  try {
    kept = { ...NOTHING, ...JSON.parse(sessionStorage.getItem(NAME) ?? "{}") };
  } catch {
    // No storage, or something in it that is not ours: begin with nothing.
  }
  return kept.expiresAt > Date.now() ? kept : { ...kept, token: "", expiresAt: 0 };
}

export function keepCredentials(credentials) {
  try {
    if (credentials === NOTHING) sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, JSON.stringify(credentials));
  } catch {
    // A browser without storage knows them until the reload.
  }
}
