import { serveTasks } from "../worker-task.ts";
import type { VoiceName } from "./voices.ts";
import { writeWav } from "./wav.ts";

export type VoiceTask = { sentences: string[]; voice: VoiceName; speed: number; folder: string };

/** Silence between sentences; the synthesizer adds a little of its own at both ends. */
const pauseMs = 120;

// node:wasi warns on import that it may change, but Node's version is pinned. Other warnings of
// this thread are still shown.
process.removeAllListeners("warning");
process.on("warning", (warning) => {
  if (warning.name !== "ExperimentalWarning")
    process.stderr.write(`${warning.name}: ${warning.message}\n`);
});

serveTasks<VoiceTask>(async ({ sentences, voice, speed, folder }, tell) => {
  const total = sentences.length;
  tell.part({ type: "progress", done: 0, total, label: "sentences" });
  const { loadSpeaker } = await import("./flite.ts");
  const speaker = await loadSpeaker(folder);
  const pieces: Uint8Array[] = [];
  let sampleRate = 0;
  for (const sentence of sentences) {
    const spoken = speaker.speak(sentence, voice, speed);
    sampleRate = spoken.sampleRate;
    pieces.push(spoken.samples);
    tell.part({ type: "progress", done: pieces.length, total, label: "sentences" });
  }
  const bytes = writeWav(pieces, sampleRate, pauseMs);
  const durationMs = Math.round((bytes.byteLength - 44) / 2 / (sampleRate / 1000));
  tell.part({
    type: "file",
    output: { name: `speech-${voice}.wav`, mime: "audio/wav", durationMs, bytes },
  });
  const characters = sentences.reduce((sum, sentence) => sum + sentence.length, 0);
  tell.part({
    type: "finish",
    reason: "stop",
    usage: { units: { characters: String(characters) } },
    costMicros: 0,
  });
});
