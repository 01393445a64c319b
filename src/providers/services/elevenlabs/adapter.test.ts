import { expect, it, onTestFinished } from "vitest";
import type { Task } from "#contract/tasks.ts";
import { startElevenLabs } from "../../../../test/simulators/elevenlabs.ts";
import {
  buildContext,
  buildFile,
  buildRequest,
  collect,
} from "../../../../test/support/contracts/attempt.ts";
import { keepsTheMediaContract } from "../../../../test/support/contracts/media-contract.ts";
import type { ModelFacts, RunRequest } from "../../adapter.ts";
import { elevenlabs } from "./adapter.ts";

async function start() {
  const simulator = await startElevenLabs();
  const connection = {
    kind: "elevenlabs",
    addresses: { api: simulator.url },
    options: {},
    secret: simulator.key,
  };
  return { simulator, origin: simulator.url, connection };
}
async function build() {
  const { simulator, origin, connection } = await start();
  onTestFinished(() => simulator.stop());
  const { context, warnings } = buildContext({ origin, connection });
  return {
    simulator,
    context,
    warnings,
    ask: (request: RunRequest) => collect(elevenlabs.answer!(request, context)),
  };
}
const toRequest = (task: Task, id: string, input: RunRequest["input"]) =>
  buildRequest({
    task,
    model: { id, inputSchema: null, capabilities: {} },
    turns: [],
    input,
    files: new Map([["1", buildFile("talk.mp3", "audio/mpeg", "mp3")]]),
  });
const speech = (input: RunRequest["input"] = {}) =>
  toRequest("speech", "eleven_v3", { text: "Good mörning", voice: "voice0", ...input });
const transcript = (input: RunRequest["input"] = {}) =>
  toRequest("transcription", "scribe_v2", { file: "asset:1", ...input });

keepsTheMediaContract({
  adapter: elevenlabs,
  start,
  requests: [
    ["speech", speech()],
    [
      "a sound",
      toRequest("music", "eleven_text_to_sound_v2", {
        text: "rain",
        duration_seconds: 3,
        loop: true,
        prompt_influence: 0.4,
      }),
    ],
    [
      "music",
      toRequest("music", "music_v1", {
        prompt: "a waltz",
        seconds: 12.5,
        force_instrumental: true,
      }),
    ],
    [
      "a transcript",
      transcript({ diarize: true, num_speakers: 2, language_code: "en", tag_audio_events: false }),
    ],
  ],
  streamed: ["speech", "a sound", "music"],
});

it("speech uses the chosen settings, and its cost is saved", async () => {
  const { simulator, ask } = await build();
  const { files, finish, error } = await ask(
    speech({
      stability: 0.3,
      use_speaker_boost: false,
      seed: 7,
      language_code: "it",
      output_format: "opus_48000_64",
    }),
  );
  expect(error).toBeNull();
  expect(files).toMatchObject([{ name: "speech", mime: "audio/mpeg" }]);
  expect(files[0]!.bytes!.subarray(0, 3).toString()).toBe("ID3");
  expect(finish).toMatchObject({
    usage: { units: { characters: "12", credits: "12" } },
    result: { requestId: "req_1" },
  });
  expect(simulator.posts).toMatchObject([
    {
      path: "/v1/text-to-speech/voice0",
      body: {
        text: "Good mörning",
        model_id: "eleven_v3",
        language_code: "it",
        seed: 7,
        voice_settings: { stability: 0.3, use_speaker_boost: false },
      },
    },
  ]);
});

it("a missing voice is reported, and a voice is sent only if chosen", async () => {
  const { simulator, ask } = await build();
  expect((await ask(speech({ voice: "" }))).error).toMatchObject({
    code: "provider_invalid_input",
    detail: { field: "voice" },
  });
  expect(simulator.posts).toEqual([]);
  expect((await ask(speech({ voice: "nobody" }))).error).toMatchObject({
    code: "provider_invalid_input",
    accepted: "no",
  });
});

it("a transcript has word times and the chosen format", async () => {
  const { ask } = await build();
  const { text, files, finish, error } = await ask(transcript({ format: "srt" }));
  expect(error).toBeNull();
  expect(text).toBe("Good morning");
  expect(files.map(({ name }) => name)).toEqual(["transcript.json", "transcript.srt"]);
  expect(JSON.parse(String(files[0]!.bytes))).toMatchObject({
    words: [{ text: "Good", start: 0 }, { text: "morning" }],
  });
  expect(String(files[1]!.bytes)).toContain("Good morning");
  expect(finish).toMatchObject({
    usage: { units: { seconds: "1.5" } },
    result: { language: "eng" },
  });
});

it("a speech model's form lists every voice of the account, over all pages", async () => {
  const { context } = await build();
  const models: ModelFacts[] = [];
  for await (const page of elevenlabs.models(context)) models.push(...page);
  expect(models.map(({ id }) => id)).toEqual([
    "eleven_v3",
    "eleven_flash_v2_5",
    "eleven_text_to_sound_v2",
    "music_v1",
    "scribe_v2",
    "scribe_v1",
  ]);
  const properties = models[0]!.inputSchema!.properties as Record<
    string,
    { anyOf?: unknown[]; maxLength?: number }
  >;
  expect(properties.voice!.anyOf).toHaveLength(130);
  expect(properties.voice!.anyOf![0]).toEqual({ const: "voice0", title: "Rachel" });
  expect(properties.text!.maxLength).toBe(5_000);
});

it("a format missing from an answer is named, and the transcript is saved", async () => {
  const { simulator, ask, warnings } = await build();
  const body = {
    text: "Good morning",
    words: [],
    additional_formats: [{ requested_format: "srt", file_extension: "srt" }],
  };
  simulator.script({ fault: { kind: "status", status: 200, body } });
  const { text, files, finish, error } = await ask(transcript({ format: "srt" }));
  expect(error).toBeNull();
  expect(text).toBe("Good morning");
  expect(files.map(({ name }) => name)).toEqual(["transcript.json"]);
  expect(warnings).toEqual([
    { type: "note", feature: "format", message: "srt of the transcript is missing." },
  ]);
  expect(finish).toMatchObject({ reason: "stop" });
});
