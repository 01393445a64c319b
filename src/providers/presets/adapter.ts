import type { Adapter, CallContext } from "../adapter.ts";
import { call } from "../services/openai-compatible/access.ts";
import { answerCompatible } from "../services/openai-compatible/adapter.ts";
import { checkConnection, listModels } from "../services/openai-compatible/models.ts";
import { type Preset, toKind } from "./preset.ts";

/** The adapter of a preset: all its code is that of the OpenAI-compatible kind. */
export function toAdapter(preset: Preset): Adapter {
  const { quirks = {} } = preset;
  return {
    ...toKind(preset),
    async check(context) {
      const own = withHeaders(context, preset);
      if (preset.checkPath)
        await (await call(own, preset.checkPath, { method: "GET" })).body?.cancel();
      return checkConnection(own, quirks);
    },
    models: (context) => listModels(withHeaders(context, preset), quirks, preset.tasks),
    answer: (request, context) => answerCompatible(request, withHeaders(context, preset), quirks),
  };
}

function withHeaders<C extends CallContext>(context: C, { headers }: Preset): C {
  if (!headers) return context;
  const fetch: typeof context.fetch = (url, init) =>
    context.fetch(url, {
      ...init,
      headers: { ...headers, ...Object.fromEntries(new Headers(init?.headers)) },
    });
  return { ...context, fetch };
}
