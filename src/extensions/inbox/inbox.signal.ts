/** Names a tenant with a delivery to work on. */
export const INBOX_HINT = "inbox";
