import { defineError } from "#kernel/errors.ts";

// Names are keys: a name with slashes is looked up as it is, and no file has such a name.
export const sftpFileNotFound = defineError({
  code: "sftp.file-not-found",
  status: 404,
  title: "File not found",
  detail: () => "The file drop has no file of this name that was received completely.",
});
