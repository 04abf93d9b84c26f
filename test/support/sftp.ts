import ssh2, { type ConnectConfig, type SFTPWrapper } from "ssh2";
import type { TestApi } from "./start-api.ts";

export const DROP_PASSWORD = "a password of the file drop";

/** A tenant whose file drop is open, by a password and by these keys. */
export async function seedDrop(
  api: TestApi,
  tenantId: string,
  keys: readonly string[] = [],
): Promise<void> {
  const lines = keys.map((key) => `    - ${key}\n`).join("");
  const settings = `name: ${tenantId}\nsftp:\n  enabled: true\n${keys.length > 0 ? `  keys:\n${lines}` : ""}`;
  await api.seed.tenant(tenantId, { "tenant.yml": settings });
  await setPassword(api, tenantId, DROP_PASSWORD);
}

export async function setPassword(api: TestApi, tenantId: string, value: string): Promise<void> {
  const path = `/api/${tenantId}/secrets/SFTP-PASSWORD`;
  const { status, text } = await api.put(path, { key: api.operatorKey, body: { value } });
  if (status > 204) throw new Error(`Password not set: ${text}`);
}

/** The port of the file drop of this process. */
export async function dropPort(api: TestApi, tenantId: string): Promise<number> {
  const { body } = await api.get(`/api/${tenantId}/admin/sftp/status`, { key: api.operatorKey });
  return body.port;
}

export type DropClient = Awaited<ReturnType<typeof connectDrop>>;

/** Signs in as programs do that use the library of the same name; throws if it is refused. */
export async function connectDrop(config: ConnectConfig) {
  const client = new ssh2.Client();
  const closed = new Promise<void>((resolve) => client.on("close", () => resolve()));
  const ready = Promise.withResolvers<void>();
  client.on("ready", () => ready.resolve());
  client.on("error", (error) => ready.reject(error));
  client.on("close", () => ready.reject(new Error("The connection was closed.")));
  client.connect({
    host: "127.0.0.1",
    username: "acme",
    password: DROP_PASSWORD,
    readyTimeout: 20_000,
    ...config,
  });
  await ready.promise;
  return {
    client,
    closed,
    files: () => promised<SFTPWrapper>((done) => client.sftp(done)),
    end() {
      client.end();
      return closed;
    },
    [Symbol.asyncDispose]: async () => {
      client.end();
      await closed;
    },
  };
}

/** Waits for what a function with a callback answers. */
export function promised<Value>(
  call: (done: (error: Error | null | undefined, value: Value) => void) => unknown,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error ? reject(error) : resolve(value)));
  });
}

/** Writes a whole file, and closes it. */
export async function putFile(
  files: SFTPWrapper,
  path: string,
  contents: string | Buffer,
): Promise<void> {
  await promised<void>((done) =>
    files.writeFile(path, contents, (error) => done(error, undefined)),
  );
}

export async function namesIn(files: SFTPWrapper, path: string): Promise<string[]> {
  const entries = await promised<{ filename: string }[]>((done) => files.readdir(path, done));
  return entries.map(({ filename }) => filename).sort();
}

export function contentsOf(files: SFTPWrapper, path: string): Promise<Buffer> {
  return promised<Buffer>((done) => files.readFile(path, done));
}
