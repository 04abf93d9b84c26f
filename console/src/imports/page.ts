import { IconFileImport } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type ImportSearch = {
  /** A part of the name of a file. */
  readonly q?: string;
  readonly sort?: string;
  readonly status?: string;
  /** `drop` for the file drop; the imports without it. */
  readonly view?: string;
  /** `yes` while a file is being uploaded. */
  readonly new?: string;
  /** The id of the import that is shown. */
  readonly import?: string;
  /** Only rows with this outcome. */
  readonly outcome?: string;
  /** The line of a row, or the id of its pass. */
  readonly row?: string;
};

export const page = definePage<ImportSearch>({
  id: "imports",
  path: "imports",
  group: "data",
  order: 10,
  title: { en: "Imports", fr: "Imports" },
  keywords: {
    en: "file upload csv json sftp rows spreadsheet excel",
    fr: "fichier téléverser csv json sftp lignes tableur excel",
  },
  icon: IconFileImport,
  letter: "i",
  needs: "import.list",
  search: ["q", "sort", "status", "view", "new", "import", "outcome", "row"],
});
