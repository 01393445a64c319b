import { expect, it, onTestFinished } from "vitest";
import type { Task } from "#contract/tasks.ts";
import { startDeepgram } from "../../../../test/simulators/deepgram.ts";
import {
  buildContext,
  buildFile,
  buildRequest,
  collect,
} from "../../../../test/support/contracts/attempt.ts";
import { keepsTheMediaContract } from "../../../../test/support/contracts/media-contract.ts";
import type { ModelFacts, RunRequest } from "../../adapter.ts";
import { deepgram } from "./adapter.ts";

async function start() {
  const simulator = await startDeepgram();
  const connection = {
    kind: "deepgram",
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
    ask: (request: RunRequest) => collect(deepgram.answer!(request, context)),
  };
}
const toRequest = (task: Task, id: string, input: RunRequest["input"]) =>
  buildRequest({
    task,
    model: { id, inputSchema: null, capabilities: {} },
    turns: [],
    input,
    files: new Map([["1", buildFile("talk.wav", "audio/wav", Buffer.alloc(5_000, 1))]]),
  });
const transcript = (input: RunRequest["input"] = {}) =>
  toRequest("transcription", "nova-3-general", { file: "asset:1", ...input });
const speech = (input: RunRequest["input"] = {}) =>
  toRequest("speech", "aura-2-thalia-en", { text: "Good morning", ...input });

keepsTheMediaContract({
  adapter: deepgram,
  start,
  requests: [
    [
      "a transcript",
      transcript({
        smart_format: true,
        diarize: true,
        language: "it",
        keyterms: ["Bottega", "fresco"],
      }),
    ],
    ["speech", speech({ format: "wav" })],
  ],
  streamed: ["speech"],
});

it("a recording is uploaded unchanged, and the full response is saved with the text", async () => {
  const { simulator, ask } = await build();
  const {
    text,
    files,
    finish,
    error: failure,
  } = await ask(transcript({ language: "detect", paragraphs: true, diarize: false }));
  expect(failure).toBeNull();
  expect(text).toBe("Speaker 0: good morning");
  expect(JSON.parse(String(files[0]!.bytes))).toMatchObject({
    results: {
      channels: [{ alternatives: [{ words: [{ word: "good", start: 0 }, { word: "morning" }] }] }],
    },
  });
  expect(finish).toMatchObject({
    usage: { units: { seconds: "1.5" } },
    result: { requestId: "r-3", language: "en" },
  });
  expect(simulator.posts).toMatchObject([
    {
      path: "/v1/listen",
      body: {
        type: "audio/wav",
        bytes: 5_000,
        query: {
          model: "nova-3-general",
          detect_language: "true",
          paragraphs: "true",
          diarize: "false",
        },
      },
    },
  ]);
});

it("a transcript without paragraphs is read as plain text", async () => {
  const { ask } = await build();
  expect(await ask(transcript())).toMatchObject({ text: "good morning", error: null });
});

it.each(["mp3", "wav", "flac", "opus", "aac"])(
  "speech as %s, with the characters that the service counted",
  async (format) => {
    const { ask } = await build();
    const { files, finish, error: failure } = await ask(speech({ format }));
    expect(failure).toBeNull();
    expect(files).toMatchObject([{ name: "speech", mime: "audio/mpeg" }]);
    expect(finish).toMatchObject({
      usage: { units: { characters: "12" } },
      result: { requestId: "r-2" },
    });
  },
);

it("transcription models are listed once with all their languages, and each voice once", async () => {
  const { context } = await build();
  const models: ModelFacts[] = [];
  for await (const page of deepgram.models(context)) models.push(...page);
  expect(models.map(({ id, tasks }) => [id, tasks[0]])).toEqual([
    ["nova-3-general", "transcription"],
    ["aura-2-thalia-en", "speech"],
  ]);
  expect(models[0]!.inputSchema).toMatchObject({
    properties: { language: { enum: ["detect", "en", "en-US", "it"] } },
  });
  expect(models[1]!.description).toBe("American, Adult, en, en-US");
});

it("a channel without a transcript is named, and the others are saved", async () => {
  const { simulator, ask, warnings } = await build();
  const channels = [{ alternatives: [{ transcript: "good morning" }] }, { alternatives: [] }];
  const body = { metadata: { request_id: "r", duration: 3_600 }, results: { channels } };
  simulator.script({ fault: { kind: "status", status: 200, body } });
  const { text, files, finish, error: failure } = await ask(transcript());
  expect(failure).toBeNull();
  expect([text, files.length]).toEqual(["good morning", 1]);
  expect(warnings).toEqual([
    {
      type: "note",
      feature: "channels.1",
      message: "Channel 2 of 2 has no transcript.",
    },
  ]);
  expect(finish).toMatchObject({ usage: { units: { seconds: "3600" } } });
});
