import { pathToFileURL } from "node:url";
import type { Plugin } from "vite";
import type { RouteTable } from "#contract/route.ts";

/**
 * The page calls routes by method and path. The build strips everything else about them:
 * descriptions for the server and the documents, and routes for other programs, which together
 * would add 5 KB to every screen.
 */
export function bareRoutes(): Plugin {
  return {
    name: "bottega:bare-routes",
    apply: "build",
    enforce: "pre",
    async transform(_code, id) {
      const folder = /\/contract\/routes\/(?:([a-z-]+)\/)?[a-z-]+\.ts$/.exec(id);
      if (!folder || /\/(?:index|scopes)\.ts$/.test(id)) return null;
      const module: Record<string, RouteTable> = await import(pathToFileURL(id).href);
      const lines = Object.entries(module).map(([name, table]) => {
        const kept = folder[1] === "doors" ? {} : bare(table);
        return `export const ${name} = ${JSON.stringify(kept)};`;
      });
      return { code: lines.join("\n"), map: null };
    },
  };
}

const bare = (table: RouteTable) =>
  Object.fromEntries(
    Object.entries(table).map(([name, { method, path }]) => [name, { method, path }]),
  );
