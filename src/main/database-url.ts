import pg from "pg";

/** Long enough for a distant server, short enough for a person at the terminal. */
const CONNECT_TIMEOUT_MS = 10_000;
const SERVER_VERSION_MIN = 150_000;

type Failure = { readonly code?: string | undefined; readonly message: string };

/** The parts of the address that a message may contain: everything except the password. */
type Target = {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password: string;
};

type Facts = {
  readonly number: string;
  readonly version: string;
  readonly isReadOnly: boolean;
  readonly isNew: boolean;
  readonly mayCreate: boolean;
};

/** Throws what is wrong with `DATABASE_URL` and what to do about it, without the password. */
export async function requireDatabase(databaseUrl: string): Promise<void> {
  const client = openClient(databaseUrl);
  client.on("error", () => undefined);
  const target: Target = {
    host: client.host,
    port: client.port,
    user: client.user ?? "",
    database: client.database ?? "",
    password: typeof client.password === "string" ? client.password : "",
  };
  try {
    await client.connect();
    const { rows } = await client.query<Facts>(FACTS);
    const problem = rows[0] === undefined ? undefined : factsProblem(rows[0], target);
    if (problem !== undefined) throw new Error(problem);
  } catch (error) {
    const failure = firstOf(error);
    const reason = explain(failure, target) ?? failure.message;
    throw new Error(`DATABASE_URL cannot be used: ${withoutPassword(reason, target)}`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function openClient(databaseUrl: string): pg.Client {
  try {
    return new pg.Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
      application_name: "billfold start",
    });
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    const reason =
      code === "ENOENT" || code === "EACCES"
        ? `it names the file ${path}, which cannot be read (${code}).`
        : "it is no address. In user and password, write special characters in percent-encoding: " +
          "%40 for @, %2F for /, %25 for %.";
    // Without `cause`, which may contain the whole address.
    throw new Error(`DATABASE_URL cannot be used: ${reason}`);
  }
}

/** For a name with several addresses, the error contains one error for each of them. */
function firstOf(error: unknown): Failure {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first : { message: String(error) };
}

const FACTS = `
  select current_setting('server_version_num') as number,
         current_setting('server_version') as version,
         current_setting('transaction_read_only') = 'on' as "isReadOnly",
         to_regclass('schema_migration') is null as "isNew",
         has_database_privilege(current_database(), 'create')
           and has_schema_privilege(coalesce(current_schema(), 'public'), 'create') as "mayCreate"
`;

function factsProblem(facts: Facts, { user, database }: Target): string | undefined {
  const { number, version, isReadOnly, isNew, mayCreate } = facts;
  if (Number(number) < SERVER_VERSION_MIN) {
    return `the server is PostgreSQL ${version}, and Billfold needs 15 or newer. Leave DATABASE_URL out to use the embedded one.`;
  }
  if (isReadOnly) {
    return "the server only lets read. Name the primary server, not a copy of it.";
  }
  if (isNew && !mayCreate) {
    return `user '${user}' may not make tables in database '${database}'. Make that user its owner: ${ownerCommand(user, database)}`;
  }
  return undefined;
}

function ownerCommand(user: string, database: string): string {
  return `alter database ${pg.escapeIdentifier(database)} owner to ${pg.escapeIdentifier(user)};`;
}

function explain({ code = "", message }: Failure, target: Target): string | undefined {
  return (
    explainNetwork(code, message, target) ??
    explainEncryption(code, message) ??
    explainRefusal(code, message, target)
  );
}

function explainNetwork(code: string, message: string, target: Target): string | undefined {
  const { host, port } = target;
  const place = host.startsWith("/") ? `${host}/.s.PGSQL.${port}` : `${host}, port ${port}`;
  switch (code) {
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `the name '${host}' leads to no address (${code}). Correct the host.`;
    case "ECONNREFUSED":
    case "ENOENT":
      return `no server listens at ${place} (${code}). Start it, or correct host and port.`;
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "ETIMEDOUT":
      return `${place} cannot be reached (${code}). Look at host, network and firewall.`;
    default:
  }
  if (/timeout/i.test(message)) {
    return `${place} does not answer as a PostgreSQL would. Look at host, port, network and firewall.`;
  }
  if (code === "ECONNRESET" || /Connection terminated/.test(message)) {
    return `${place} ended the connection at once. Is it a PostgreSQL, and does it let this machine in?`;
  }
  return undefined;
}

const CERTIFICATE_CODES = /CERT|ISSUER|SIGNATURE/;

function explainEncryption(code: string, message: string): string | undefined {
  if (/does not support SSL/.test(message)) {
    return "the server speaks no TLS. Take sslmode out of the address, or set sslmode=disable.";
  }
  if (!CERTIFICATE_CODES.test(code)) return undefined;
  return `the certificate of the server is not trusted (${code}). Add sslrootcert=<file of its authority> to the address.`;
}

function explainRefusal(code: string, message: string, target: Target): string | undefined {
  const { user, database } = target;
  switch (code) {
    case "28P01":
      return `the server refuses the password of user '${user}'. Correct it; write special characters in percent-encoding.`;
    case "28000":
      return `the server does not let user '${user}' in: ${message}. ${adviceOnEntry(message)}`;
    case "3D000":
      return `the server has no database '${database}'. Make it: create database ${pg.escapeIdentifier(database)} owner ${pg.escapeIdentifier(user)};`;
    case "42501":
      return `user '${user}' may not connect to database '${database}' (${message}).`;
    case "53300":
      return `the server has no connection left (${message}). Close some, or raise max_connections.`;
    case "57P03":
      return `the server is not ready yet (${message}). Try again in a moment.`;
    default:
  }
  if (/password must be a string/.test(message)) {
    return `the server wants a password of user '${user}', and the address has none.`;
  }
  return undefined;
}

function adviceOnEntry(message: string): string {
  if (/no encryption/.test(message)) return "Add ?sslmode=require to the address.";
  if (/does not exist/.test(message)) return "Make that user, or correct the address.";
  return "Look at pg_hba.conf of the server.";
}

function withoutPassword(text: string, { password }: Target): string {
  if (password === "") return text;
  return [password, encodeURIComponent(password)].reduce(
    (rest, secret) => rest.replaceAll(secret, "…"),
    text,
  );
}
