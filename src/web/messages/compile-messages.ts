import { pathToFileURL } from "node:url";
import { compileMessageOrThrow } from "@lingui/message-utils/compileMessage";
import type { Plugin } from "vite";

/**
 * Compiles a catalog of ICU texts into lingui's nested arrays, which are plain data, so that the
 * page needs neither a parser nor eval.
 * @throws for text that isn't valid ICU
 */
export function compileCatalogue(catalogue: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(catalogue).map(([id, text]) => [id, compileMessageOrThrow(text)]),
  );
}

/**
 * Compiles every file of messages/en/ at build time; in development and tests, lingui compiles a
 * text at its first use.
 */
export function compileMessages(): Plugin {
  return {
    name: "bottega:compile-messages",
    apply: "build",
    enforce: "pre",
    async transform(_code, id) {
      if (!/\/web\/messages\/en\/[a-z]+\/[a-z-]+\.ts$/.test(id)) return null;
      const module: Record<string, Record<string, string>> = await import(pathToFileURL(id).href);
      const lines = Object.entries(module).map(
        ([name, catalogue]) =>
          `export const ${name} = ${JSON.stringify(compileCatalogue(catalogue))};`,
      );
      return { code: lines.join("\n"), map: null };
    },
  };
}
