import { pathToFileURL } from "node:url";
import type { Plugin } from "vite";
import type { RouteTable } from "#contract/route.ts";

/** The page calls routes by method and path; what the server and the documents say of them beside is 2 KB of every screen, and left out at build. */
export function bareRoutes(): Plugin {
  return {
    name: "bottega:bare-routes",
    apply: "build",
    enforce: "pre",
    async transform(_code, id) {
      if (!/\/contract\/routes\/[a-z-]+\.ts$/.test(id) || id.endsWith("/index.ts")) return null;
      const module: Record<string, RouteTable> = await import(pathToFileURL(id).href);
      const lines = Object.entries(module).map(
        ([name, table]) => `export const ${name} = ${JSON.stringify(bare(table))};`,
      );
      return { code: lines.join("\n"), map: null };
    },
  };
}

const bare = (table: RouteTable) =>
  Object.fromEntries(
    Object.entries(table).map(([name, { method, path }]) => [name, { method, path }]),
  );
