/** Names a tenant with a file to import. */
export const IMPORT_HINT = "import";
