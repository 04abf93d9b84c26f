// Keeps the credentials that a person typed or received, as long as this tab is open: they survive
// a reload, no other tab or site sees them, and they are never part of an address.

const NAME = "billfold-docs";
export const NOTHING = { tenant: "", key: "", token: "", expiresAt: 0 };

/** An expired token is left out. */
export function readCredentials() {
  let kept = NOTHING;
  try {
    kept = { ...NOTHING, ...JSON.parse(sessionStorage.getItem(NAME) ?? "{}") };
  } catch {
    // There is no storage, or its content cannot be read: start without credentials.
  }
  return kept.expiresAt > Date.now() ? kept : { ...kept, token: "", expiresAt: 0 };
}

export function keepCredentials(credentials) {
  try {
    if (credentials === NOTHING) sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, JSON.stringify(credentials));
  } catch {
    // In a browser without storage, the credentials are lost at the reload.
  }
}
