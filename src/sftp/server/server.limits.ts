/** Of one process. A connection may hold some megabytes of what a client sent or did not read yet. */
export const CONNECTIONS_MAX = 500;
export const CONNECTIONS_PER_ADDRESS_MAX = 20;
export const CONNECTIONS_PER_TENANT_MAX = 20;
/** Connections that have not signed in yet, from all addresses together: the oldest makes room. */
export const STRANGERS_MAX = 100;
export const STRANGERS_PER_ADDRESS_MAX = 5;
export const CHANNELS_PER_CONNECTION_MAX = 4;
/** Sessions of a connection that ended before they were used. Clients open one to use it. */
export const UNUSED_SESSIONS_MAX = 100;

/** The first line of a client has at most so many bytes; what follows is the exchange of keys. */
export const GREETING_BYTES_MAX = 255;
/** Signing in takes some kilobytes; with every attempt and a password that is far too long, tens. */
export const STRANGER_RECEIVED_BYTES_MAX = 256 * 1024;
export const STRANGER_UNSENT_BYTES_MAX = 64 * 1024;

/** From the connection to the end of signing in. */
export const SIGN_IN_SECONDS_MAX = 30;
/** As OpenSSH: a client offers several keys before it asks for the password. */
export const ATTEMPTS_PER_CONNECTION_MAX = 6;
/** Checking a longer one would only cost time. */
export const PASSWORD_BYTES_MAX = 1_024;
/**
 * Each failure is answered so long after it was asked for, whatever it failed at: so the time does not
 * tell which tenants there are.
 */
export const FAILURE_MS = 1_000;
/** The same for a key, of which clients try several. */
export const KEY_FAILURE_MS = 250;

export const IDLE_MINUTES_MAX = 15;
/** Within so many seconds, a session ends whose password or key is not valid any more. */
export const REVIEW_SECONDS = 2;
/** What waits to be sent; beyond it, no further request is answered. */
export const UNSENT_BYTES_MAX = 1024 * 1024;
/** What all channels together may have waiting by that rule, and more: the client plays tricks. */
export const UNREAD_BYTES_MAX = 8 * 1024 * 1024;
/** A channel asks for 2 MiB, and for as much again when half of it has come. */
export const RECEIVED_BYTES_MAX = 6 * 1024 * 1024;

/** How long a stop waits for uploads that are under way. */
export const DRAIN_SECONDS_MAX = 20;
