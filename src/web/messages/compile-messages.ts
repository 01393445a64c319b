import { pathToFileURL } from "node:url";
import { compileMessageOrThrow } from "@lingui/message-utils/compileMessage";
import type { Plugin } from "vite";

/** Compiles one catalogue of ICU texts into lingui's nested arrays: data only, so the page needs neither a parser nor eval. Throws on a text that is no ICU. */
export function compileCatalogue(catalogue: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(catalogue).map(([id, text]) => [id, compileMessageOrThrow(text)]),
  );
}

/** At build, every file of messages/en/ becomes its compiled data; in development and tests lingui compiles when a text is first used. */
export function compileMessages(): Plugin {
  return {
    name: "bottega:compile-messages",
    apply: "build",
    enforce: "pre",
    async transform(_code, id) {
      if (!/\/web\/messages\/en\/[a-z-]+\.ts$/.test(id)) return null;
      const module: Record<string, Record<string, string>> = await import(pathToFileURL(id).href);
      const lines = Object.entries(module).map(
        ([name, catalogue]) =>
          `export const ${name} = ${JSON.stringify(compileCatalogue(catalogue))};`,
      );
      return { code: lines.join("\n"), map: null };
    },
  };
}
