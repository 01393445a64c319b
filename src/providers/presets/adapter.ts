import type { Adapter, CallContext } from "../adapter.ts";
import { call } from "../services/openai-compatible/access.ts";
import { answerCompatible } from "../services/openai-compatible/adapter.ts";
import { checkConnection, listModels } from "../services/openai-compatible/models.ts";
import { withHeaders } from "../wire/open-file.ts";
import { type Preset, toKind } from "./preset.ts";

/** Creates the adapter of a preset from the OpenAI-compatible kind. */
export function toAdapter(preset: Preset): Adapter {
  const { quirks = {} } = preset;
  return {
    ...toKind(preset),
    async check(context) {
      const own = withOwnHeaders(context, preset);
      if (preset.checkPath)
        await (await call(own, preset.checkPath, { method: "GET" })).body?.cancel();
      return checkConnection(own, quirks);
    },
    models: (context) => listModels(withOwnHeaders(context, preset), quirks, preset.tasks),
    answer: (request, context) =>
      answerCompatible(request, withOwnHeaders(context, preset), quirks),
    ...(preset.local && { local: preset.local }),
  };
}

const withOwnHeaders = <C extends CallContext>(context: C, { headers }: Preset): C =>
  headers ? { ...context, fetch: withHeaders(context.fetch, headers) } : context;
