import type { Task } from "#contract/tasks.ts";
import type { RunRequest } from "#providers/adapter.ts";
import { presets } from "#providers/presets/index.ts";
import { buildFile } from "../contracts/attempt.ts";
import { toMedia } from "../contracts/media-contract.ts";
import type { Column } from "./table.ts";

type Ways = Readonly<Record<string, RunRequest>>;
const recording = buildFile("1", "audio/mpeg", "mp3");
const photo = buildFile("1", "image/png", "png");

/** One way for each kind of output that an OpenAI-compatible server makes besides text. */
const ofKin: Partial<Record<Task, Ways>> = {
  image: {
    pictures: toMedia("image", "sim-painter", { prompt: "a fox" }),
    edits: toMedia("image", "sim-painter", { prompt: "blue", images: ["asset:1"] }, photo),
  },
  speech: { speech: toMedia("speech", "sim-voice", { input: "Good morning", voice: "alloy" }) },
  transcription: {
    transcripts: toMedia("transcription", "sim-ear", { file: "asset:1" }, recording),
  },
  embedding: { vectors: toMedia("embedding", "sim-vectors", { input: "a fox" }) },
};
const all: Ways = Object.assign({}, ...Object.values(ofKin));
/** Presets whose own image API has no edits. */
const withoutEdits: ReadonlySet<string> = new Set(["xai", "together"]);

const ofPreset = (kind: string): Ways => {
  const tasks = presets.find((preset) => preset.kind === kind)?.tasks ?? [];
  const { edits, ...ways }: Ways = Object.assign({}, ...tasks.map((task) => ofKin[task]));
  return edits && !withoutEdits.has(kind) ? { ...ways, edits } : ways;
};

/** Each column's further ways, by the column's name. */
const others: Readonly<Record<string, Ways>> = {
  openai: all,
  "openai-compatible": all,
  azure: all,
  google: {
    Imagen: toMedia("image", "imagen-4.0-generate-001", { prompt: "a fox" }),
    speech: toMedia("speech", "gemini-2.5-flash-preview-tts", {
      text: "Good morning",
      voice: "Kore",
    }),
    vectors: toMedia("embedding", "gemini-embedding-001", { input: "a fox" }),
  },
  vertex: {
    Imagen: toMedia("image", "imagen-4.0-generate-001", { prompt: "a fox" }),
    vectors: toMedia("embedding", "gemini-embedding-001", { input: "a fox" }),
  },
  bedrock: {
    pictures: toMedia("image", "amazon.nova-canvas-v1:0", { prompt: "a fox" }),
    vectors: toMedia("embedding", "amazon.titan-embed-text-v2:0", { input: "a fox" }),
  },
  cohere: {
    vectors: toMedia("embedding", "embed-sim", { input: "a fox", inputType: "clustering" }),
  },
  elevenlabs: {
    transcripts: toMedia("transcription", "scribe_v2", { file: "asset:1" }, recording),
  },
  deepgram: {
    transcripts: toMedia("transcription", "nova-3-general", { file: "asset:1" }, recording),
  },
  ...Object.fromEntries(presets.map(({ kind }) => [kind, ofPreset(kind)])),
};

/** The column, and another for each further way of its service, which refuses in the same words. */
export function withWays(column: Column): readonly Column[] {
  const ways = Object.entries(others[column.name] ?? {}).map(
    ([what, request]): Column => ({
      ...column,
      name: `${column.name}, ${what}`,
      request,
      after:
        "It answers whole: what is wrong is told in place of the answer, or cuts it off, which the contract of media tries.",
    }),
  );
  return [column, ...ways];
}
