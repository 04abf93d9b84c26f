import react from "@vitejs/plugin-react";
import { defineConfig, type HtmlTagDescriptor, type Plugin } from "vite";

/** The editor and the barcodes are large, and few pages need them. */
const LARGE = /node_modules[\\/](@codemirror|@lezer|crelt|style-mod|w3c-keyname|bwip-js)/;
/** Packages, and the folders that all pages use. Folders of pages are left out. */
const COMMON = /[\\/](node_modules|console[\\/]src[\\/](api|live|parts|words))[\\/]/;
const ENTRY = /[\\/]src[\\/]main\.ts$/;
const APP = /[\\/]src[\\/]app\.tsx$/;
const NONCE = "{{nonce}}";

/**
 * A component or an icon: its file has its name. The app must not use an export whose file has another
 * name: it would not be found here, and the app would import the shared file. Tests in src/console guard it.
 */
const COMPONENT =
  /(?:@mantine[\\/]core[\\/].*[\\/]components|icons-react[\\/].*[\\/]icons)[\\/](?:.*[\\/])?(?!index\.)[^\\/]*?(\w+)\.mjs$/;
/** The file of a package that exports all of them. */
const INDEX =
  /(?:@mantine[\\/]core[\\/]esm[\\/]index|tabler-icons-react|icons-react[\\/].*[\\/]icons[\\/]index)\.mjs$/;

type Module = { readonly importers: readonly string[]; readonly code: string | null };
type Modules = { getModuleInfo(id: string): Module | null };

/**
 * Whether one module cannot do without another: what it asks for by `import()` does not count. Modules
 * that import the index of a package need only those of its components that they name.
 */
function isNeededBy(
  needing: RegExp,
  id: string,
  modules: Modules,
  seen = new Set<string>(),
): boolean {
  if (needing.test(id)) return true;
  if (seen.has(id)) return false;
  seen.add(id);
  return importersOf(id, modules).some((importer) => isNeededBy(needing, importer, modules, seen));
}

function importersOf(id: string, modules: Modules): readonly string[] {
  const importers = modules.getModuleInfo(id)?.importers ?? [];
  const [, component] = COMPONENT.exec(id) ?? [];
  if (component === undefined) return importers;
  const named = new RegExp(`\\b${component}\\b`);
  return importers.flatMap((importer) =>
    INDEX.test(importer) ? namersOf(named, importer, modules) : importer,
  );
}

/** One index may export another, which names nothing that it needs itself. */
function namersOf(named: RegExp, index: string, modules: Modules): readonly string[] {
  return importersOf(index, modules).flatMap((importer) => {
    if (INDEX.test(importer)) return namersOf(named, importer, modules);
    return named.test(modules.getModuleInfo(importer)?.code ?? "") ? importer : [];
  });
}

/** The entry asks for the app at once, so the browser may fetch both at the same time. */
const fetchAppEarly: Plugin = {
  name: "fetch-app-early",
  transformIndexHtml: {
    order: "post",
    handler(_html, { bundle = {} }) {
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      const app = chunks.filter(({ name }) => name === "app");
      const linkTo = (rel: string, fileName: string): HtmlTagDescriptor => ({
        tag: "link",
        attrs: { rel, crossorigin: "", href: `./${fileName}`, nonce: NONCE },
        injectTo: "head",
      });
      const styles = new Set(
        app.flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]),
      );
      return [
        ...app.map(({ fileName }) => linkTo("modulepreload", fileName)),
        ...[...styles].map((fileName) => linkTo("stylesheet", fileName)),
      ];
    },
  },
};

export default defineConfig({
  plugins: [react(), fetchAppEarly],
  // Relative, because the address of an installation is known at run time only.
  base: "./",
  // The server puts a nonce of its own into every answer.
  html: { cspNonce: NONCE },
  build: {
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Few files instead of a hundred small ones: browsers ask one host for six at a time.
        codeSplitting: {
          // Otherwise what the entry needs would bring all that its packages could need.
          includeDependenciesRecursively: false,
          groups: [
            {
              name: (id, modules) => (isNeededBy(ENTRY, id, modules) ? "first" : null),
              priority: 3,
            },
            { name: (id, modules) => (isNeededBy(APP, id, modules) ? "app" : null), priority: 2 },
            {
              name: "shared",
              test: (id) => COMMON.test(id) && !LARGE.test(id),
              minShareCount: 2,
              priority: 1,
            },
          ],
        },
      },
    },
  },
});
