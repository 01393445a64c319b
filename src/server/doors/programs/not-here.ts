import { Problem } from "#contract/errors.ts";
import type { Route } from "#contract/route.ts";
import { anthropicRoutes } from "#contract/routes/doors/anthropic.ts";
import { openAiRoutes } from "#contract/routes/doors/openai.ts";
import { sentences } from "#contract/sentences/index.ts";

/** Paths of OpenAI's and Anthropic's APIs that don't exist here, and what to use instead. */
const instead: readonly [RegExp, string][] = [
  [/^\/v1(\/|$)/, sentences.notHere.twice],
  [/^\/(completions|complete|engines)\b/, sentences.notHere.completions],
  [/^\/moderations\b/, sentences.notHere.moderations],
  [/^\/audio\/translations\b/, sentences.notHere.translations],
  [/^\/images\/variations\b/, sentences.notHere.variations],
  [/^\/(messages\/)?batches\b/, sentences.notHere.batches],
  [/^\/(files|uploads|containers)\b/, sentences.notHere.files],
  [/^\/(assistants|threads|conversations|chatkit)\b/, sentences.notHere.conversations],
  [/^\/(agents|sessions|environments|skills|vaults|memory_stores)\b/, sentences.notHere.agents],
  [/^\/vector_stores\b/, sentences.notHere.vectorStores],
  [/^\/rerank\b/, sentences.notHere.rerank],
  [/^\/responses\/input_tokens$/, sentences.notHere.inputTokens],
  [/^\/responses\/compact$/, sentences.notHere.compact],
  [/^\/chat\/completions\b/, sentences.notHere.storedChats],
  [/^\/(fine_tuning|evals)\b/, sentences.notHere.training],
  [/^\/(organizations?|usage|dashboard)\b/, sentences.notHere.organization],
  [/^\/audio\/voice/, sentences.notHere.voices],
  [/^\/videos\b/, sentences.notHere.videos],
  [/^\/(realtime|live)\b/, sentences.notHere.realtime],
];

const routes: readonly Route[] = Object.values({ ...openAiRoutes, ...anthropicRoutes });
const forms = routes.map(({ method, path, isDeep }) => ({
  method,
  form: new RegExp(`^${path.replaceAll(/:\w+/g, isDeep ? ".+" : "[^/]+")}$`),
}));
const methodsAt = (path: string): string[] =>
  forms.flatMap(({ method, form }) => (form.test(path) ? [method] : []));
/** The endpoints without an id in their path. */
const addresses = [...new Set(routes.map(({ path }) => path))].filter(
  (path) => !path.includes(":"),
);

/** Returns the problem of a missing path under /v1, with what to use instead. */
export function notHere(path: string): Problem {
  const methods = methodsAt(path);
  const known = instead.find(([form]) => form.test(path.slice("/v1".length)))?.[1];
  const message =
    known ??
    (methods.length > 0
      ? sentences.notHere.method({ methods: methods.join(" or ") })
      : sentences.notHere.other({ addresses: addresses.join(", ") }));
  return new Problem("not_found", { message });
}

/** Returns the problem of a base URL without /v1; undefined if the path doesn't exist with it. */
export const versionMissing = (path: string): Problem | undefined =>
  methodsAt(`/v1${path}`).length > 0
    ? new Problem("not_found", { message: sentences.notHere.versionMissing })
    : undefined;
