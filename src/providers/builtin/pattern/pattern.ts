import { toInputSchema } from "../input.ts";
import type { BuiltinModel } from "../model.ts";
import { answerInWorker } from "../worker-answer.ts";
import { patternInput, readPatternSettings } from "./settings.ts";

/** Procedural pictures: drawn by rules from the prompt and the seed, without a neural network. */
export const pattern: BuiltinModel = {
  facts: {
    id: "pattern",
    name: "Pattern (procedural)",
    description:
      "Draws hills, arches, flowing lines and the sea from your prompt and a seed. Procedural: no image model, no network. The same settings give the same picture.",
    tasks: ["image"],
    inputModalities: ["text"],
    outputModalities: ["image"],
    inputSchema: toInputSchema(patternInput, "Pattern"),
    capabilities: { deterministic: true, seed: true, preview: true },
  },
  async *answer(request, context) {
    const settings = readPatternSettings(request.input);
    // libvips must stay loaded by the main thread, or it is unloaded under a worker that ends
    // (sharp's advice for Linux).
    await import("sharp");
    yield* answerInWorker(new URL("./pattern-worker.ts", import.meta.url), settings, context);
  },
};
