import { type Adapter, type ModelFacts, ProviderError } from "../adapter.ts";
import { edits } from "./edit/edit.ts";
import { guide } from "./guide/guide.ts";
import { patternLive, realtime } from "./live/pattern-live.ts";
import type { BuiltinModel } from "./model.ts";
import { pattern } from "./pattern/pattern.ts";
import { upscale } from "./upscale/upscale.ts";
import { voice } from "./voice/voice.ts";

const models: readonly BuiltinModel[] = [guide, pattern, voice, upscale, ...edits];

/** What Bottega can do by itself: free, without a key and without a network. It never calls `context.fetch`. */
export const builtin: Adapter = {
  kind: "builtin",
  name: "Built in",
  summary: "Works without a key and offline: a guide, procedural pictures, a voice, upscaling and edits.",
  docs: "docs/providers/builtin.md",
  runsOn: "local",
  builtin: true,
  free: true,
  lacks: ["tools", "answerShape"],
  fields: [],
  addresses: {},
  tasks: ["chat", "image", "live", "speech", "upscale", "edit"],
  // Each run but the guide's has a thread; more of them at once only make each slower and take memory.
  concurrency: 4,
  async check() {
    return { message: `${models.length + 1} models, on this machine.` };
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
