import { sentences } from "#contract/sentences/index.ts";
import { type Adapter, type ModelFacts, ProviderError } from "../adapter.ts";
import { edits } from "./edit/edit.ts";
import { guide } from "./guide/guide.ts";
import { builtinKind } from "./kind.ts";
import { patternLive, realtime } from "./live/pattern-live.ts";
import type { BuiltinModel } from "./model.ts";
import { pattern } from "./pattern/pattern.ts";
import { upscale } from "./upscale/upscale.ts";
import { voice } from "./voice/voice.ts";

const models: readonly BuiltinModel[] = [guide, pattern, voice, upscale, ...edits];

export const builtin: Adapter = {
  ...builtinKind,
  async check() {
    return { message: sentences.connections.builtinModels({ count: models.length + 1 }) };
  },
  async *models(context) {
    const price = { unit: "run", micros: "0", source: "built in", at: context.clock.now() };
    const listed = [...models.map(({ facts }) => facts), patternLive];
    yield listed.map((facts): ModelFacts => ({ ...facts, price, limits: {}, status: "active" }));
  },
  realtime,
  async *answer(request, context) {
    context.signal.throwIfAborted();
    const model = models.find(({ facts }) => facts.id === request.model.id);
    if (!model) throw new ProviderError("model_gone", "no");
    yield* model.answer(request, context);
  },
};
