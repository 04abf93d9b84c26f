import type { TenantContext } from "#kernel/context.ts";
import {
  beginFile,
  type Folder,
  findFile,
  type ImportFile,
  listFolder,
  nameProblem,
  removeFile,
  renameFile,
  resumeFile,
} from "#src/imports/public.ts";
import { OPEN, PIECE_BYTES_MAX, STATUS } from "../protocol/protocol.codes.ts";
import { denied, failed, noSuchFile, Refusal, unsupported } from "../protocol/refusal.ts";
import {
  type Attributes,
  attributesReply,
  dataReply,
  type Entry,
  handleReply,
  limitsReply,
  namesReply,
  pathReply,
  statusReply,
  versionReply,
} from "../protocol/reply.ts";
import type { SentPath, SftpRequest } from "../protocol/request.ts";
import { Download } from "./download.ts";
import { entryOf, fileAttributes, folderAttributes } from "./folder.entries.ts";
import { FOLDERS, normalizePath, type Place, placeOf } from "./folder.path.ts";
import { HANDLES_MAX, Handles, Listing } from "./session.handles.ts";
import { type EarlyBytes, Upload } from "./upload.ts";

type Kind = SftpRequest["kind"];
type RequestOf<Name extends Kind> = Extract<SftpRequest, { kind: Name }>;
type Answers = { [Name in Exclude<Kind, "init">]: (request: RequestOf<Name>) => Promise<Buffer> };

/** So many entries fit into a packet even if all names are as long as they may be. */
const ENTRIES_PER_REPLY = 100;

const INBOX_ONLY = "Files are put, renamed and removed in /inbox only.";
const NO_FOLDERS = "Folders and links cannot be made, removed or read.";

export type SessionOptions = {
  /** A call for an operation such as `sftp.upload`. */
  call(op: string): TenantContext;
  /** Who writes, in words for people. */
  readonly createdBy: string;
  /** True if no new upload may begin, because the process is about to stop. */
  isStopping(): boolean;
};

/** The folders of one tenant, as one client sees them. Requests come one after the other. */
export class FolderSession {
  readonly #options: SessionOptions;
  readonly #context: TenantContext;
  readonly #handles = new Handles();
  readonly #earlyBytes: EarlyBytes = { held: 0 };
  readonly #answers: Answers = {
    open: (request) => this.#open(request),
    close: async ({ id, handle }) => {
      await this.#handles.close(handle);
      return ok(id);
    },
    read: async ({ id, handle, offset, bytesMax }) => {
      const bytes = await this.#handles.download(handle).read(offset, bytesMax);
      if (bytes === undefined) throw endOfFile();
      return dataReply(id, bytes);
    },
    write: async ({ id, handle, offset, bytes }) => {
      if (bytes.length > PIECE_BYTES_MAX) throw failed("This piece is too large.");
      await this.#handles.upload(handle).write(offset, bytes);
      return ok(id);
    },
    fsync: async ({ id, handle }) => {
      await this.#handles.upload(handle).flush();
      return ok(id);
    },
    stat: async ({ id, path }) => attributesReply(id, await this.#attributes(path)),
    lstat: async ({ id, path }) => attributesReply(id, await this.#attributes(path)),
    fstat: async ({ id, handle }) => attributesReply(id, this.#handleAttributes(handle)),
    setstat: async ({ id, path, size }) => {
      const { sizeBytes } = await this.#attributes(path);
      return keepingSize(id, size, sizeBytes);
    },
    fsetstat: async ({ id, handle, size }) =>
      keepingSize(id, size, this.#handleAttributes(handle).sizeBytes),
    opendir: async ({ id, path }) => {
      this.#handles.requireRoom();
      return handleReply(id, this.#handles.add(new Listing(await this.#entries(placeOf(path)))));
    },
    readdir: async ({ id, handle }) => {
      const entries = this.#handles.listing(handle).next(ENTRIES_PER_REPLY);
      if (entries.length === 0) throw endOfFile();
      return namesReply(id, entries);
    },
    remove: async ({ id, path }) => {
      const name = nameInInbox(placeOf(path));
      requireNameOfFile(name);
      const isThere = await removeFile(this.#options.call("sftp.remove"), name);
      return isThere ? ok(id) : raise(noSuchFile());
    },
    rename: async ({ id, from, to, replaces }) => {
      const [name, newName] = [nameInInbox(placeOf(from)), nameInInbox(placeOf(to))];
      requireNameOfFile(name);
      const isThere = await renameFile(this.#options.call("sftp.rename"), name, newName, {
        replaces,
      });
      return isThere ? ok(id) : raise(noSuchFile());
    },
    realpath: async ({ id, path }) => {
      const whole = normalizePath(path);
      if (whole === undefined || whole.includes("\0")) throw noSuchFile();
      return pathReply(id, whole);
    },
    mkdir: refuse(() => denied(NO_FOLDERS)),
    rmdir: refuse(() => denied(NO_FOLDERS)),
    readlink: refuse(() => denied(NO_FOLDERS)),
    symlink: refuse(() => denied(NO_FOLDERS)),
    limits: async ({ id }) => limitsReply(id, HANDLES_MAX),
    unknown: refuse(() => unsupported("This request is not supported.")),
  };

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#context = options.call("sftp.read");
  }

  get hasUploads(): boolean {
    return this.#handles.hasUploads;
  }

  /** Throws a `Refusal`, or whatever the store throws. */
  async answer(request: SftpRequest): Promise<Buffer> {
    if (request.kind === "init") return versionReply();
    // The table has for each kind the answer to requests of that kind.
    const answer = this.#answers[request.kind] as (request: SftpRequest) => Promise<Buffer>;
    return await answer(request);
  }

  /** For a client that is gone. */
  end(): void {
    this.#handles.abandon();
  }

  async #open({ id, path, flags }: RequestOf<"open">): Promise<Buffer> {
    this.#handles.requireRoom();
    const place = placeOf(path);
    const writes = (flags & (OPEN.write | OPEN.append)) !== 0;
    const opened = writes ? await this.#openToWrite(place, flags) : await this.#openToRead(place);
    return handleReply(id, this.#handles.add(opened));
  }

  async #openToRead(place: Place): Promise<Download> {
    if (place.kind === "root" || place.kind === "folder") throw failed("This is a folder.");
    if (place.kind === "nowhere") throw noSuchFile();
    const file = await this.#find(place.folder, place.name);
    if (file === undefined) throw noSuchFile();
    return new Download(this.#context, place.folder, file);
  }

  async #openToWrite(place: Place, flags: number): Promise<Upload> {
    const { call, createdBy, isStopping } = this.#options;
    const context = call("sftp.upload");
    const has = (flag: number) => (flags & flag) !== 0;
    const name = nameInInbox(place);
    if (isStopping()) throw failed("The service is about to stop. Try again in a minute.");
    const isKnown = (await this.#find("inbox", name)) !== undefined;
    if (!isKnown && !has(OPEN.create)) throw noSuchFile();
    const isExclusive = has(OPEN.create) && has(OPEN.exclusive);
    const isNew = has(OPEN.truncate) || isExclusive || !isKnown;
    // Another client may have put a file of this name just now: only who means it takes its place.
    const replaces = has(OPEN.truncate) && !isExclusive;
    const open = isNew
      ? await beginFile(context, { name, source: "sftp", createdBy, replaces })
      : await resumeFile(context, name);
    if (open === undefined) throw noSuchFile();
    return new Upload(context, open, {
      appends: has(OPEN.append),
      earlyBytes: this.#earlyBytes,
    });
  }

  async #attributes(path: SentPath): Promise<Attributes> {
    const place = placeOf(path);
    if (place.kind === "nowhere") throw noSuchFile();
    if (place.kind === "root") return folderAttributes(undefined, this.#now());
    if (place.kind === "folder") return folderAttributes(place.folder, this.#now());
    const file = await this.#find(place.folder, place.name);
    if (file === undefined) throw noSuchFile();
    return fileAttributes(place.folder, file);
  }

  /** No file has a name that is not allowed, and the database would not even take some of them. */
  async #find(folder: Folder, name: string): Promise<ImportFile | undefined> {
    return nameProblem(name) === undefined
      ? await findFile(this.#context, folder, name)
      : undefined;
  }

  #handleAttributes(handle: string): Attributes {
    const open = this.#handles.get(handle);
    if (open instanceof Upload) return fileAttributes("inbox", open.file);
    if (open instanceof Download) return fileAttributes(open.folder, open.file);
    return folderAttributes(undefined, this.#now());
  }

  #now(): Date {
    return this.#context.clock.now();
  }

  async #entries(place: Place): Promise<Entry[]> {
    const { tenantId } = this.#context;
    if (place.kind === "root") {
      const at = this.#now();
      return FOLDERS.map((name) => entryOf(name, folderAttributes(name, at), tenantId));
    }
    if (place.kind !== "folder") throw noSuchFile();
    const files = await listFolder(this.#context, place.folder);
    return files.map((file) => entryOf(file.name, fileAttributes(place.folder, file), tenantId));
  }
}

function nameInInbox(place: Place): string {
  if (place.kind === "file" && place.folder === "inbox") return place.name;
  throw denied(INBOX_ONLY);
}

/** No file has another name. */
function requireNameOfFile(name: string): void {
  if (nameProblem(name) !== undefined) throw noSuchFile();
}

function ok(id: number): Buffer {
  return statusReply(id, STATUS.ok, "Done.");
}

function endOfFile(): Refusal {
  return new Refusal(STATUS.endOfFile, "This is the end.");
}

/**
 * Clients set times and permissions of what they copied, and would call it failed if that were
 * refused: it is accepted and has no effect. Another size would be a loss of bytes.
 */
function keepingSize(id: number, wanted: number | undefined, sizeBytes: number): Buffer {
  if (wanted === undefined || wanted === sizeBytes) return ok(id);
  throw unsupported("The size of a file cannot be set.");
}

function raise(refusal: Refusal): never {
  throw refusal;
}

function refuse(make: () => Refusal): () => Promise<never> {
  return () => Promise.reject(make());
}
