/** Numbers of SFTP version 3 (draft-ietf-secsh-filexfer-02), the version that all clients speak. */

export const VERSION = 3;

export const REQUEST = {
  init: 1,
  open: 3,
  close: 4,
  read: 5,
  write: 6,
  lstat: 7,
  fstat: 8,
  setstat: 9,
  fsetstat: 10,
  opendir: 11,
  readdir: 12,
  remove: 13,
  mkdir: 14,
  rmdir: 15,
  realpath: 16,
  stat: 17,
  rename: 18,
  readlink: 19,
  symlink: 20,
  extended: 200,
} as const;

export const REPLY = {
  version: 2,
  status: 101,
  handle: 102,
  data: 103,
  name: 104,
  attributes: 105,
  extended: 201,
} as const;

export const STATUS = {
  ok: 0,
  endOfFile: 1,
  noSuchFile: 2,
  permissionDenied: 3,
  failure: 4,
  badMessage: 5,
  unsupported: 8,
} as const;
export type StatusCode = (typeof STATUS)[keyof typeof STATUS];

/** How a file is opened. */
export const OPEN = {
  read: 0x01,
  write: 0x02,
  append: 0x04,
  create: 0x08,
  truncate: 0x10,
  exclusive: 0x20,
} as const;

export const ATTRIBUTE = {
  size: 0x01,
  owner: 0x02,
  permissions: 0x04,
  times: 0x08,
} as const;

/** The largest packet that OpenSSH sends and takes, without its length. */
export const PACKET_BYTES_MAX = 256 * 1024;
/** The largest piece of a file in one packet: what is left of a packet beside its other members. */
export const PIECE_BYTES_MAX = PACKET_BYTES_MAX - 1024;
