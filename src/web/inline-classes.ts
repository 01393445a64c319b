import type { Plugin } from "vite";

const classesImport = /import (\w+) from ("[^"]+\.module\.css");/g;
/** A class of such a name has no export of its own. */
const isReserved =
  /^(?:break|case|class|continue|default|delete|do|else|for|if|in|new|switch|with)$/;

/**
 * A style sheet's module is an object that names every class of the sheet, 1 to 2 KB of each page. Imported one by one, each name
 * stands where it is used, and those that only the sheet needs are gone. An object of which a name is chosen as the program runs,
 * or that is handed on, stays.
 */
export function inlineClasses(): Plugin[] {
  const named: Plugin = {
    name: "bottega:inline-classes",
    apply: "build",
    enforce: "pre",
    transform: {
      filter: { id: /\/web\/.*\.tsx?$/, code: /\.module\.css"/ },
      handler: (code) => ({
        code: code.replace(classesImport, (line, object: string, file: string) => {
          const uses = [...code.matchAll(new RegExp(`\\b${object}\\b(?:\\.(\\w+))?`, "g"))];
          const names = uses.flatMap(([, name]) => name ?? []);
          const isListed =
            names.length === uses.length - 1 && !names.some((name) => isReserved.test(name));
          return isListed ? `import * as ${object} from ${file};` : line;
        }),
        map: null,
      }),
    },
    // A class that the sheet does not export would be drawn without its style.
    onLog: (_level, { code, message }) => {
      if (code === "IMPORT_IS_UNDEFINED") throw new Error(message);
    },
  };
  // A sheet none of whose names are asked for any more would be left out.
  const kept: Plugin = {
    name: "bottega:keep-sheets",
    apply: "build",
    enforce: "post",
    transform: {
      filter: { id: /\.module\.css$/ },
      handler: (code) => ({ code, map: null, moduleSideEffects: "no-treeshake" }),
    },
  };
  return [named, kept];
}
