import { limits } from "#contract/limits.ts";
import { closeDevice, DeviceProblem, openDevice } from "../../../data/page/media-device.ts";

export type Recording = {
  /** By the page's clock (performance.now). */
  startedAt: number;
  /** The current loudness: 0 to 1. */
  level(): number;
  /** Ends the recording and releases the microphone. */
  stop(): void;
  /**
   * The recording, once it has ended: by `stop`, at the time limit, or because the microphone was
   * unplugged. Null if empty.
   */
  ended: Promise<Blob | null>;
};

/** Recording formats, best first: Chromium and Firefox support the first, Safari the second. */
const types = ["audio/webm;codecs=opus", "audio/mp4", "audio/ogg;codecs=opus"];
/** Speech is clear at this bit rate with Opus, and an hour takes 14 MB. */
const bitsPerSecond = 32_000;

/**
 * Requests the microphone and starts recording.
 * @throws DeviceProblem
 */
export async function startRecording(): Promise<Recording> {
  if (typeof MediaRecorder === "undefined") throw new DeviceProblem("unsupported");
  const stream = await openDevice({ audio: { channelCount: 1 } });
  try {
    return record(stream);
  } catch (error) {
    closeDevice(stream);
    throw new DeviceProblem("broken", error);
  }
}

function record(stream: MediaStream): Recording {
  const mimeType = types.find((type) => MediaRecorder.isTypeSupported(type));
  const recorder = new MediaRecorder(stream, {
    audioBitsPerSecond: bitsPerSecond,
    ...(mimeType && { mimeType }),
  });
  const meter = openMeter(stream);
  const chunks: Blob[] = [];
  const stop = (): void => {
    if (recorder.state !== "inactive") recorder.stop();
  };
  const longest = window.setTimeout(stop, limits.dictationMs);
  const ended = new Promise<Blob | null>((resolve) => {
    recorder.ondataavailable = ({ data }) => chunks.push(data);
    recorder.onstop = () => {
      window.clearTimeout(longest);
      meter.close();
      closeDevice(stream);
      const blob = new Blob(chunks, { type: recorder.mimeType });
      resolve(blob.size > 0 ? blob : null);
    };
  });
  recorder.start();
  return { startedAt: performance.now(), level: meter.level, stop, ended };
}

function openMeter(stream: MediaStream): { level: () => number; close: () => void } {
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  return {
    level() {
      analyser.getFloatTimeDomainData(samples);
      const mean = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      // From -60 dB, a silent room, to full scale.
      return Math.min(1, Math.max(0, 1 + (10 * Math.log10(mean || 1e-12)) / 60));
    },
    close: () => void context.close(),
  };
}

/** The recording as a file for the library. */
export function toFile(blob: Blob, name: string): File {
  const [type = ""] = blob.type.split(";");
  return new File([blob], `${name}.${type.split("/")[1] || "webm"}`, { type });
}
