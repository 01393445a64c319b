import type { Plugin } from "vite";

const classesImport = /import (\w+) from ("[^"]+\.module\.css");/g;
/** Classes with these names can't be named exports. */
const isReserved =
  /^(?:break|case|class|continue|default|delete|do|else|for|if|in|new|switch|with)$/;

/**
 * A style sheet's module is an object with every class of the sheet, which takes 1 to 2 KB of each
 * page. Named imports inline each class name where it is used and drop the others. The object is
 * kept if a name is computed at run time or the object is passed on.
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
    // A class missing from the sheet would silently have no style.
    onLog: (_level, { code, message }) => {
      if (code === "IMPORT_IS_UNDEFINED") throw new Error(message);
    },
  };
  // Without this, a sheet whose class names are all inlined would be dropped.
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
