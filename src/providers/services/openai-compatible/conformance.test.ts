import { LLMock } from "@copilotkit/aimock";
import { expect, it, onTestFinished } from "vitest";
import { buildFile, buildRequest, collect } from "../../../../test/support/contracts/attempt.ts";
import { buildAttempt } from "../../../../test/support/services/openai-compatible.ts";
import { createOutbound } from "../../outbound/outbound.ts";
import { openaiCompatible } from "./adapter.ts";

/**
 * Opens the adapter on a third-party server (aimock), so that the tests don't rely only on our own
 * simulator.
 */
async function buildForeign() {
  const mock = new LLMock({ port: 0 });
  await mock.start();
  const outbound = createOutbound();
  onTestFinished(async () => {
    await outbound.close();
    await mock.stop();
  });
  const { context } = await buildAttempt({
    connection: { addresses: { api: `${mock.url}/v1` }, secret: "mock" },
  });
  const { origin } = new URL(mock.url);
  return {
    mock,
    context: { ...context, fetch: outbound.open({ privateOrigins: [origin], onePost: true }) },
  };
}

it("a third-party server answers our chat", async () => {
  const { mock, context } = await buildForeign();
  mock.onMessage("hello", { content: "Hi there, naïve 👩‍👩‍👧!", reasoning: "Greet." });
  const answer = await collect(openaiCompatible.answer!(buildRequest(), context));
  expect(answer).toMatchObject({
    text: "Hi there, naïve 👩‍👩‍👧!",
    error: null,
    finish: { type: "finish", reason: "stop" },
  });
});

it("a third-party server makes our pictures, speech, transcript and embedding", async () => {
  const png = Buffer.from("png-bytes");
  const make = async (
    prepare: (mock: LLMock) => unknown,
    request: Parameters<typeof buildRequest>[0],
  ) => {
    const { mock, context } = await buildForeign();
    prepare(mock);
    const answer = await collect(
      openaiCompatible.answer!(buildRequest({ turns: [], ...request }), context),
    );
    expect(answer.error).toBeNull();
    return answer;
  };
  const picture = await make(
    (mock) => mock.onImage("fox", { image: { b64Json: png.toString("base64") } }),
    {
      task: "image",
      input: { prompt: "fox" },
    },
  );
  expect(picture.files[0]!.bytes).toEqual(png);
  const speech = await make(
    (mock) => mock.onSpeech("Good day", { audio: Buffer.from("sound").toString("base64") }),
    {
      task: "speech",
      input: { input: "Good day", voice: "alloy" },
    },
  );
  expect(speech.files[0]!.bytes!.toString()).toBe("sound");
  const file = buildFile("a.wav", "audio/wav", "RIFF");
  const transcript = await make(
    (mock) => mock.onTranscription({ transcription: { text: "said" } }),
    {
      task: "transcription",
      input: { file: "asset:a.wav" },
      files: new Map([["a.wav", file]]),
    },
  );
  expect(transcript.text).toBe("said");
  const embedding = await make((mock) => mock.onEmbedding("word", { embedding: [0.5, 0.25] }), {
    task: "embedding",
    input: { input: "word" },
  });
  expect(JSON.parse(embedding.files[0]!.bytes!.toString()).embedding).toEqual([0.5, 0.25]);
});
