import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { bareRoutes } from "./src/web/bare-routes.ts";
import { buildTarget } from "./src/web/browsers.ts";
import { inlineClasses } from "./src/web/inline-classes.ts";
import { inlineIcons } from "./src/web/inline-icons.ts";
import { inlineLimits } from "./src/web/inline-limits.ts";
import { compileMessages } from "./src/web/messages/compile-messages.ts";

const pageAt = (name: string): string =>
  fileURLToPath(new URL(`./src/web/${name}`, import.meta.url));

/** Where `npm run dev` has started the server; Vite alone passes on to one at the usual port. */
const server = process.env.SERVER_URL ?? "http://127.0.0.1:4620";

/** Inter is in every first paint: asked for beside the script instead of after the stylesheet. */
function preloadInter(): Plugin {
  return {
    name: "bottega:preload-inter",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle, path }) {
        // The frame that draws diagrams has the system's font.
        if (path !== "/index.html") return [];
        const isInter = ({ originalFileNames = [] }: { originalFileNames?: string[] }) =>
          originalFileNames.some((name) => /inter-latin-wght-normal\.woff2$/.test(name));
        const file = Object.entries(bundle ?? {}).find(
          ([, asset]) => asset.type === "asset" && isInter(asset),
        )?.[0];
        if (!file) return [];
        const attrs = {
          rel: "preload",
          as: "font",
          type: "font/woff2",
          crossorigin: "",
          href: `/${file}`,
        };
        return [{ tag: "link", attrs, injectTo: "head-prepend" as const }];
      },
    },
  };
}

/**
 * Every page starts with the same frame, in one file, which compresses better than forty small
 * ones. It includes modules that most of the largest screens import. Diagrams have a page of their
 * own.
 */
function frameFile() {
  let ofFrame: Set<string> | undefined;
  return (id: string, graph: ModuleGraph): string | null => {
    ofFrame ??= listFrame(graph);
    return ofFrame.has(id) ? "frame" : null;
  };
}

const largestScreens = ["chat", "create", "draw", "home", "library"];
/** The number of these screens whose common modules are in the frame. */
const sharedByScreens = 4;

function listFrame(graph: ModuleGraph): Set<string> {
  const ofFrame = reachableFrom(pageAt("main.tsx"), graph, ["importedIds"]);
  const users = new Map<string, number>();
  for (const name of largestScreens)
    for (const id of reachableFrom(pageAt(`screens/${name}/${name}-screen.tsx`), graph, [
      "importedIds",
    ]))
      users.set(id, (users.get(id) ?? 0) + 1);
  for (const [id, count] of users) if (count >= sharedByScreens) ofFrame.add(id);
  const both = ["importedIds", "dynamicallyImportedIds"] as const;
  for (const id of reachableFrom(pageAt("diagram.html"), graph, both)) ofFrame.delete(id);
  return ofFrame;
}

type Imports = { importedIds: string[]; dynamicallyImportedIds: string[] };
type ModuleGraph = { getModuleInfo(id: string): Imports | null };

function reachableFrom(
  entry: string,
  graph: ModuleGraph,
  ways: readonly (keyof Imports)[],
): Set<string> {
  const found = new Set([entry]);
  for (const id of found) {
    const known = graph.getModuleInfo(id);
    for (const way of ways) for (const next of known?.[way] ?? []) found.add(next);
  }
  return found;
}

/**
 * The React compiler memoizes what each component renders, which adds a quarter to its code. That pays only where much is rendered, or
 * something often: streaming answers, galleries, pictures under the pointer, and forms while a person types.
 */
function compileFrequentlyRendered(): Plugin {
  const often = [
    /\/web\/screens\/(?:chat\/(?:answer|composer|thread)|create\/(?:feed|form)|draw|library\/gallery)\/[^/]+$/,
    /\/web\/components\/(?:asset|composer|grid|markdown|schema-form)\/[^/]+$/,
    /\/web\/components\/(?:editor|viewer)\//,
  ];
  return {
    name: "bottega:drawn-anew",
    enforce: "pre",
    transform: {
      filter: { id: { include: /\/web\/.*\.tsx$/, exclude: often } },
      handler: (code) => `"use no memo";${code}`,
    },
  };
}

/** KaTeX names each of its faces in three formats; every browser that runs this program reads the first. */
function onlyWoff2(): Plugin {
  return {
    name: "bottega:only-woff2",
    enforce: "pre",
    transform(code, id) {
      if (!id.includes("katex.css")) return null;
      return {
        code: code.replace(/,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\([^)]*\)/g, ""),
        map: null,
      };
    },
  };
}

/**
 * The page runs under `default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'` with Trusted Types, so
 * nothing may be inlined: no data: assets, no polyfill script.
 */
export default defineConfig({
  root: "src/web",
  plugins: [
    compileMessages(),
    bareRoutes(),
    inlineLimits(),
    inlineIcons(),
    inlineClasses(),
    compileFrequentlyRendered(),
    react({ compiler: true }),
    preloadInter(),
    onlyWoff2(),
  ],
  build: {
    outDir: "../../dist/web",
    emptyOutDir: true,
    target: buildTarget,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    // The entry lists the files of every lazy part. Names beside the hashes would add 1 KB to the
    // start of each page, and longer hashes half of that.
    rolldownOptions: {
      // Inlines class names and other exported constants where they are used.
      optimization: { inlineConst: { mode: "all", pass: 1 } },
      input: ["index.html", "diagram.html"].map((name) => pageAt(name)),
      output: {
        chunkFileNames: "assets/[hash:7].js",
        assetFileNames: "assets/[hash:7][extname]",
        codeSplitting: {
          groups: [
            // What brings lazy code, which Vite adds: without a file of its own, the page of diagrams would load the frame for it.
            { name: "importer", test: /vite\/preload-helper\.js$/, priority: 1 },
            { name: frameFile() },
          ],
        },
      },
    },
  },
  server: {
    host: "127.0.0.1",
    proxy: {
      "/api": { target: server, ws: true },
      "/v1": server,
      "/healthz": server,
      "/readyz": server,
      "/cli.mjs": server,
      "/cli.tgz": server,
    },
  },
});
