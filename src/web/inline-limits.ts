import type { Plugin } from "vite";
import { limits } from "#contract/limits.ts";

const values: Readonly<Record<string, number>> = limits;

/** A page reads a few limits of the hundred, whose table would be 1 KB of every first view: each stands where it is read. */
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
