import { failed } from "../protocol/refusal.ts";
import type { Entry } from "../protocol/reply.ts";
import { Download } from "./download.ts";
import { Upload } from "./upload.ts";

/** Clients need one or two; each upload holds up to a chunk of memory. */
export const HANDLES_MAX = 16;

/** A folder that a client is listing, as it was when it was opened. */
export class Listing {
  readonly #entries: readonly Entry[];
  #sent = 0;

  constructor(entries: readonly Entry[]) {
    this.#entries = entries;
  }

  /** The next entries; empty at the end. */
  next(count: number): readonly Entry[] {
    const entries = this.#entries.slice(this.#sent, this.#sent + count);
    this.#sent += entries.length;
    return entries;
  }
}

type Open = Listing | Download | Upload;

/** What a client has open. A handle that it does not know is refused. */
export class Handles {
  readonly #open = new Map<string, Open>();
  #count = 0;

  get hasUploads(): boolean {
    return this.#open.values().some((open) => open instanceof Upload);
  }

  requireRoom(): void {
    if (this.#open.size >= HANDLES_MAX) {
      throw failed(`At most ${HANDLES_MAX} files and folders may be open.`);
    }
  }

  add(open: Open): string {
    this.requireRoom();
    this.#count += 1;
    const handle = String(this.#count);
    this.#open.set(handle, open);
    return handle;
  }

  get(handle: string): Open {
    const open = this.#open.get(handle);
    if (open === undefined) throw failed("This handle is not open.");
    return open;
  }

  upload(handle: string): Upload {
    const open = this.get(handle);
    if (open instanceof Upload) return open;
    throw failed("This handle is not open for writing.");
  }

  download(handle: string): Download {
    const open = this.get(handle);
    if (open instanceof Download) return open;
    throw failed("This handle is not open for reading.");
  }

  listing(handle: string): Listing {
    const open = this.get(handle);
    if (open instanceof Listing) return open;
    throw failed("This handle is not that of a folder.");
  }

  async close(handle: string): Promise<void> {
    const open = this.get(handle);
    // Before anything can fail: a client that closes a handle does not close it again.
    this.#open.delete(handle);
    if (open instanceof Upload) await open.finish();
  }

  /** The client is gone. Files that it did not close stay as they are, and are not imported. */
  abandon(): void {
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const one of open) {
      if (one instanceof Upload) one.drop();
    }
  }
}
