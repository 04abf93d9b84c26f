import { defineError } from "#kernel/errors.ts";
import { problem } from "#kernel/http/problem.ts";

// Also for an import of another tenant: callers must not learn that it exists.
export const importNotFound = defineError({
  code: "import.not-found",
  status: 404,
  title: "Import not found",
  detail: ({ importId }: { importId: string }) => `This tenant has no import '${importId}'.`,
});

export const importEnded = defineError({
  code: "import.ended",
  status: 409,
  title: "Import has ended",
  detail: ({ importId }: { importId: string }) =>
    `Import '${importId}' has ended and cannot be cancelled.`,
});

/** What cannot be done to a file now. Most of these refusals are for doors other than HTTP. */
export const importFileRefused = defineError({
  code: "import.file-refused",
  status: 409,
  title: "Not possible with this file now",
  detail: ({ sentence }: { sentence: string }) => sentence,
});

type Named = { readonly fileName: string };

export const importRunning = ({ fileName }: Named) =>
  importFileRefused({
    sentence: `'${fileName}' is being imported, and cannot be changed until that has ended.`,
  });

/** Somebody else has replaced, removed or finished the file meanwhile. */
export const importFileTaken = ({ fileName }: Named) =>
  importFileRefused({ sentence: `'${fileName}' was replaced, removed or finished meanwhile.` });

export const importNameTaken = ({ fileName }: Named) =>
  importFileRefused({ sentence: `The inbox has another file '${fileName}'.` });

export const importWrongPosition = ({ fileName, size }: Named & { readonly size: number }) =>
  importFileRefused({
    sentence: `'${fileName}' has ${size} bytes: the next ones must follow there.`,
  });

export const importContentsGone = defineError({
  code: "import.contents-gone",
  status: 410,
  title: "Contents are deleted",
  detail: ({ fileName }: { fileName: string }) =>
    `The contents of '${fileName}' are deleted. What became of its rows is in the log.`,
});

export const importFileTooLarge = ({ sizeBytesMax }: { readonly sizeBytesMax: number }) =>
  problem("tooLarge", `A file may have ${sizeBytesMax} bytes. Split it into several files.`);

export const importNoRoom = defineError({
  code: "import.no-room",
  status: 409,
  title: "No room for further files",
  detail: ({ bytesMax }: { bytesMax: number }) =>
    `The files of a tenant may have ${bytesMax} bytes together. Contents are deleted a week after their import.`,
  members: ({ bytesMax }) => ({ bytesMax }),
});

export const importTooManyFiles = defineError({
  code: "import.too-many-files",
  status: 409,
  title: "Too many files wait",
  detail: ({ filesMax }: { filesMax: number }) =>
    `At most ${filesMax} files may wait for their import. Try again when some are done.`,
  members: ({ filesMax }) => ({ filesMax }),
});
