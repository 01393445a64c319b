import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Plugin } from "vite";

type Data = { size: number; node: [tag: string, attributes: { key?: string }][] };

const require = createRequire(import.meta.url);
const runtime = "lucide-react/dist/esm/createLucideIcon.mjs";
const namedImport = /import \{([^}]*)\} from "lucide-react";/g;

/** Maps each icon name exported by the package's index to its file's name. */
function readIndex(): Map<string, string> {
  const index = readFileSync(require.resolve("lucide-react/dist/esm/lucide-react.mjs"), "utf8");
  const lines = index.matchAll(/export \{([^}]*)\} from '\.\/icons\/([\w-]+)\.mjs'/g);
  return new Map(
    [...lines].flatMap(([, names = "", file = ""]) =>
      [...names.matchAll(/default as (\w+)/g)].map(([, name = ""]) => [name, file] as const),
    ),
  );
}

/**
 * An icon is one line with a few paths, used by several parts. A shared module would become a
 * separate file listed on every page, and a fifth of a page's files were such, so each icon is
 * written into the modules that use it. The paths' keys are dropped, because React numbers elements
 * without keys.
 */
export function inlineIcons(): Plugin {
  let files: Map<string, string> | undefined;
  const dataOf = async (name: string): Promise<Data> => {
    files ??= readIndex();
    const file = files.get(name);
    if (!file) throw new Error(`lucide-react has no icon ${name}.`);
    const { __iconData } = await import(`lucide-react/icons/${file}`);
    return __iconData;
  };
  const line = async (specifier: string): Promise<string> => {
    const [imported = "", local = imported] = specifier.split(" as ");
    const { size, node } = await dataOf(imported);
    if (size !== 24) throw new Error(`The icon ${imported} is drawn on another square.`);
    const bare = node.map(([tag, { key, ...attributes }]) => [tag, attributes]);
    return `const ${local} = /* @__PURE__ */ lucideIcon({ node: ${JSON.stringify(bare)} });`;
  };
  return {
    name: "bottega:inline-icons",
    apply: "build",
    enforce: "pre",
    transform: {
      filter: { id: /\/web\/.*\.tsx?$/, code: namedImport },
      async handler(code) {
        const specifiers = [...code.matchAll(namedImport)]
          .flatMap(([, list = ""]) => list.split(","))
          .map((specifier) => specifier.trim())
          .filter((specifier) => specifier !== "" && !specifier.startsWith("type "));
        const lines = await Promise.all(specifiers.map(line));
        if (lines.length > 0) lines.unshift(`import lucideIcon from "${runtime}";`);
        return { code: `${lines.join("")}${code.replace(namedImport, "")}`, map: null };
      },
    },
  };
}
