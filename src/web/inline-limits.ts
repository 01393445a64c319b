import type { Plugin } from "vite";
import { limits } from "#contract/limits.ts";

const values: Readonly<Record<string, number>> = limits;

/**
 * Inlines limits where they are read: a page reads only a few of about a hundred, and the table
 * would add 1 KB to every first view.
 */
export function inlineLimits(): Plugin {
  return {
    name: "bottega:inline-limits",
    apply: "build",
    enforce: "pre",
    transform: {
      filter: {
        id: /\/src\/(?:web|domain)\/.*\.tsx?$/,
        code: /import \{ limits \} from "#contract\/limits.ts"/,
      },
      handler: (code) => ({
        code: code.replace(/(?<![.\w])limits\.(\w+)/g, (read, name: string) =>
          name in values ? `(${values[name]})` : read,
        ),
        map: null,
      }),
    },
  };
}
