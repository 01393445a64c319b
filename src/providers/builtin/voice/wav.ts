/** 16-bit mono PCM of a RIFF/WAVE file. */
export type Pcm = { sampleRate: number; samples: Uint8Array };

/** Reads one WAVE file. Throws when it is not 16-bit mono PCM. */
export function readWav(file: Uint8Array): Pcm {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const tag = (at: number) => String.fromCharCode(...file.subarray(at, at + 4));
  if (tag(0) !== "RIFF" || tag(8) !== "WAVE") throw new Error("This is no WAVE file.");
  let sampleRate = 0;
  for (let at = 12; at + 8 <= file.byteLength; ) {
    const bytes = view.getUint32(at + 4, true);
    if (tag(at) === "fmt ") {
      const [format, channels, bits] = [
        view.getUint16(at + 8, true),
        view.getUint16(at + 10, true),
        view.getUint16(at + 22, true),
      ];
      if (format !== 1 || channels !== 1 || bits !== 16)
        throw new Error("This is not 16-bit mono PCM.");
      sampleRate = view.getUint32(at + 12, true);
    }
    if (tag(at) === "data")
      return {
        sampleRate,
        samples: file.subarray(at + 8, Math.min(file.byteLength, at + 8 + bytes)),
      };
    at += 8 + bytes + (bytes % 2);
  }
  throw new Error("This WAVE file has no sound.");
}

/** One WAVE file of pieces with the same sample rate, `pauseMs` of silence between them. */
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
