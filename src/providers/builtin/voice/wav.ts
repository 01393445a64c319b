import { findWavSound } from "#domain/files/wav.ts";

/** 16-bit mono PCM of a RIFF/WAVE file. */
export type Pcm = { sampleRate: number; samples: Uint8Array };

/** @throws Error when it isn't 16-bit mono PCM */
export function readWav(file: Uint8Array): Pcm {
  const sound = findWavSound((at, bytes) => file.subarray(at, at + bytes), file.byteLength);
  if (!sound || sound.isFloat || sound.channels !== 1 || sound.bits !== 16)
    throw new Error("This is not 16-bit mono PCM.");
  const { start, bytes, samplesPerSecond } = sound;
  return { sampleRate: samplesPerSecond, samples: file.subarray(start, start + bytes) };
}

/**
 * Joins pieces of the same sample rate into a WAVE file, with `pauseMs` of silence between them.
 */
export function writeWav(
  pieces: readonly Uint8Array[],
  sampleRate: number,
  pauseMs: number,
): Uint8Array {
  const pause = Math.round((sampleRate * pauseMs) / 1000) * 2;
  const bytes =
    pieces.reduce((sum, piece) => sum + piece.byteLength, 0) +
    pause * Math.max(0, pieces.length - 1);
  const file = new Uint8Array(44 + bytes);
  const view = new DataView(file.buffer);
  const put = (at: number, text: string) => file.set(new TextEncoder().encode(text), at);
  put(0, "RIFF");
  view.setUint32(4, 36 + bytes, true);
  put(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  put(36, "data");
  view.setUint32(40, bytes, true);
  let at = 44;
  for (const piece of pieces) {
    file.set(piece, at);
    at += piece.byteLength + pause;
  }
  return file;
}
