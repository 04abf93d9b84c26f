import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type HtmlTagDescriptor, type Plugin } from "vite";

/** The editor and the barcodes are large, and few pages need them. */
const LARGE = /node_modules[\\/](@codemirror|@lezer|crelt|style-mod|w3c-keyname|bwip-js)/;
/** Packages, and the folders that all pages use. Folders of pages are left out. */
const COMMON = /[\\/](node_modules|console[\\/]src[\\/](api|live|parts|words))[\\/]/;
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

type Module = { readonly importedIds: readonly string[]; readonly code: string | null };
type Modules = { getModuleInfo(id: string): Module | null };

/**
 * All modules that one cannot do without: what it asks for by `import()` does not count. Modules that
 * import the index of a package need only those of its components that they name. Walked once for a
 * build: to ask every module who imports it took most of a minute.
 */
function findNeeded(root: string, modules: Modules): ReadonlySet<string> {
  const needed = new Set<string>();
  const follow = (id: string, names: ReadonlySet<string>) => {
    const isIndex = INDEX.test(id);
    if (needed.has(id) && !isIndex) return;
    needed.add(id);
    const { importedIds = [], code = "" } = modules.getModuleInfo(id) ?? {};
    const own = isIndex ? names : new Set(code?.match(/\w+/g));
    for (const next of importedIds) {
      const [, component] = (isIndex && COMPONENT.exec(next)) || [];
      if (component === undefined || names.has(component)) follow(next, own);
    }
  };
  follow(root, new Set());
  return needed;
}

/** Whether a module belongs to those that the one at this path needs. */
function neededBy(path: string): (id: string, modules: Modules) => boolean {
  let needed: ReadonlySet<string> | undefined;
  return (id, modules) => {
    needed ??= findNeeded(join(import.meta.dirname, path), modules);
    return needed.has(id);
  };
}

const isFirst = neededBy("src/main.ts");
const isApp = neededBy("src/app.tsx");

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
              name: (id, modules) => (isFirst(id, modules) ? "first" : null),
              priority: 3,
            },
            { name: (id, modules) => (isApp(id, modules) ? "app" : null), priority: 2 },
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
