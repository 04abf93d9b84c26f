const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** One row of `import_chunk` holds so many bytes at most. */
export const CHUNK_BYTES_MAX = 256 * 1024;
export const FILE_BYTES_MAX = 2 * GIB;
/** What all files of a tenant take together, until their contents are deleted. */
export const TENANT_BYTES_MAX = 10 * GIB;
/** Files of a tenant that are being uploaded, wait for their import or are imported. */
export const OPEN_FILES_MAX = 1_000;
/** A client may open a file again right after closing it; until then nobody imports it. */
export const SETTLING_MS = 2_000;
/** How long an import lives without a sign of its worker. */
export const LEASE_SECONDS = 30;
/** A file whose worker dies so often without recording a row is given up. */
export const ATTEMPTS_MAX = 5;
export const FILE_ID_PREFIX = "imp";
