import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { sentences } from "#contract/sentences/index.ts";
import { invalidInput, readInput, toInputSchema } from "../input.ts";
import type { BuiltinModel } from "../model.ts";
import { answerInWorker } from "../worker-answer.ts";
import { hasUnspeakable, splitSentences, toSpeakable } from "./sentences.ts";
import type { VoiceTask } from "./voice-worker.ts";
import { voiceNames, voices } from "./voices.ts";

/** About ten minutes of speech: 20 MB of sound. */
const maxTextCharacters = 10_000;

const voiceInput = z.strictObject({
  text: z
    .string()
    .min(1, sentences.media.textNeeded)
    .max(maxTextCharacters)
    .meta({
      title: "Text",
      description: `English, up to ${maxTextCharacters.toLocaleString("en-US")} characters.`,
    }),
  voice: z
    .enum(voiceNames)
    .default("slt")
    .meta({
      title: "Voice",
      description: voiceNames.map((name) => `${name}: ${voices[name]}`).join("; "),
    }),
  speed: z
    .number()
    .min(0.5)
    .max(2)
    .default(1)
    .meta({ title: "Speed", description: "1 is the voice's own; 2 is twice as fast." }),
});

/** Speech from a classic synthesizer. */
export const voice: BuiltinModel = {
  facts: {
    id: "voice",
    name: "Voice (Flite)",
    description:
      "Speaks English text with a small classic synthesizer (Flite) on this machine. Clear rather than beautiful. Returns a WAV file.",
    tasks: ["speech"],
    inputModalities: ["text"],
    outputModalities: ["audio"],
    inputSchema: toInputSchema(voiceInput, "Voice"),
    capabilities: { deterministic: true },
  },
  async *answer(request, context) {
    const settings = readInput(voiceInput, request.input);
    const spoken = splitSentences(toSpeakable(settings.text));
    if (spoken.length === 0) throw invalidInput("text", sentences.media.nothingToSpeak);
    if (hasUnspeakable(settings.text))
      context.warn({
        type: "changed",
        feature: "text",
        message: sentences.media.lettersLeftOut,
      });
    const folder = await mkdtemp(join(tmpdir(), "bottega-voice-"));
    try {
      const task: VoiceTask = {
        sentences: spoken,
        voice: settings.voice,
        speed: settings.speed,
        folder,
      };
      yield* answerInWorker(new URL("./voice-worker.ts", import.meta.url), task, context);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
