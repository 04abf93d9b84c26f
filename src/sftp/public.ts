export { sftpAddress } from "./sftp.address.ts";
