import { expect, it } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import { buildFile, buildRequest, collect } from "../../../../test/support/contracts/attempt.ts";
import { buildAttempt } from "../../../../test/support/services/openai-compatible.ts";
import type { InputFile } from "../../adapter.ts";
import { openDownload } from "../../outbound/outbound-download.ts";
import { openaiCompatible } from "./adapter.ts";
import { transcriptionForm } from "./schemas.ts";

const ask = (task: Task, input: JsonObject, files: InputFile[] = []) =>
  buildRequest({
    task,
    input,
    turns: [],
    files: new Map(files.map((file) => [file.assetId, file])),
  });
const answer = openaiCompatible.answer!;
const pngHead = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

it("pictures come as bytes, with only the chosen settings, over one POST", async () => {
  const { simulator, context } = await buildAttempt();
  const { files, finish, error } = await collect(
    answer(ask("image", { prompt: "a fox", n: 2, size: "32x16", quality: "" }), context),
  );
  expect(error).toBeNull();
  expect(simulator.posts.map((post) => post.body)).toEqual([
    { model: "sim-chat", prompt: "a fox", n: 2, size: "32x16" },
  ]);
  expect(files.map((file) => file.name)).toEqual(["picture-1", "picture-2"]);
  for (const file of files) expect(file.bytes!.subarray(0, 4)).toEqual(pngHead);
  expect(finish).toEqual({
    type: "finish",
    reason: "stop",
    usage: { inputTokens: 5, outputTokens: 100, units: { images: "2" } },
  });
});

it("pictures returned as addresses stay addresses, and a reworded prompt is reported", async () => {
  const { simulator, context, warnings } = await buildAttempt();
  const body = {
    data: [
      { url: "https://files.test/a.png", revised_prompt: "a red fox" },
      { url: "data:image/png;base64,cG5n" },
    ],
  };
  simulator.script({ fault: { kind: "status", status: 200, body } });
  const { files } = await collect(answer(ask("image", { prompt: "a fox" }), context));
  expect(files).toEqual([
    { name: "picture-1", url: "https://files.test/a.png" },
    { name: "picture-2", bytes: Buffer.from("png") },
  ]);
  expect(warnings).toMatchObject([{ type: "note", feature: "prompt" }]);
});

it("a picture returned as an address is downloaded through the same guarded fetch", async () => {
  const { simulator, context } = await buildAttempt();
  simulator.script({ picturesByUrl: true });
  const { files } = await collect(answer(ask("image", { prompt: "a fox" }), context));
  const download = await openDownload({
    fetch: context.fetch,
    url: files[0]!.url!,
    mostBytes: 1_000_000,
    signal: context.signal,
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of download.stream) chunks.push(chunk);
  expect(download.mime).toBe("image/png");
  expect(Buffer.concat(chunks).subarray(0, 4)).toEqual(pngHead);
});

it("input pictures go to the edits endpoint as a form with a length", async () => {
  const { simulator, context } = await buildAttempt();
  const files = [
    buildFile("1", "image/png", "x".repeat(2_500)),
    buildFile("2", "image/png", "mask"),
  ];
  const input = { prompt: "blue", images: ["asset:1"], mask: "asset:2", n: 1 };
  expect((await collect(answer(ask("image", input, files), context))).error).toBeNull();
  expect(simulator.posts).toMatchObject([
    {
      path: "/images/edits",
      body: {
        model: "sim-chat",
        prompt: "blue",
        n: "1",
        image: { name: "1", type: "image/png", bytes: 2_500 },
        mask: { name: "2", bytes: 4 },
      },
    },
  ]);
});

it("speech is emitted as it arrives, with its type", async () => {
  const { simulator, context } = await buildAttempt();
  const { files, finish } = await collect(
    answer(ask("speech", { input: "Good day", voice: "nova", response_format: "wav" }), context),
  );
  expect(simulator.posts[0]!.body).toEqual({
    model: "sim-chat",
    input: "Good day",
    voice: "nova",
    response_format: "wav",
  });
  expect(files).toMatchObject([{ name: "speech", mime: "audio/wav" }]);
  expect(files[0]!.bytes!.subarray(0, 4).toString()).toBe("RIFF");
  expect(files[0]!.bytes!.length).toBe(44 + 8 * 160 * 2);
  expect(finish).toMatchObject({ usage: { units: { characters: "8" } } });
});

it("speech that breaks off is interrupted, not a shorter recording", async () => {
  const { simulator, context } = await buildAttempt();
  simulator.script({ fault: { kind: "reset", at: "head" } });
  const { error, finish } = await collect(
    answer(ask("speech", { input: "Good day", voice: "nova" }), context),
  );
  expect(error).toMatchObject({ code: "provider_interrupted", accepted: "yes" });
  expect(finish).toBeUndefined();
});

it("a recording is uploaded as a form, and its transcript comes as text with the seconds counted", async () => {
  const { simulator, context } = await buildAttempt();
  const file = buildFile('the "talk".mp3', "audio/mpeg", "x".repeat(3_000));
  const input = { file: `asset:${file.assetId}`, language: "it", temperature: 0 };
  const { text, finish, error } = await collect(
    answer(ask("transcription", input, [file]), context),
  );
  expect(error).toBeNull();
  expect(text).toContain("A transcript of");
  expect(finish).toEqual({ type: "finish", reason: "stop", usage: { units: { seconds: "2" } } });
  expect(simulator.posts[0]!.body).toMatchObject({
    model: "sim-chat",
    language: "it",
    temperature: "0",
    response_format: "json",
    file: { bytes: 3_000, type: "audio/mpeg" },
  });
});

it.each([
  ["srt", "application/x-subrip"],
  ["vtt", "text/vtt"],
])("subtitles as %s come as a file with the text", async (form, mime) => {
  const { context } = await buildAttempt();
  const file = buildFile("a.wav", "audio/wav", "x");
  const { text, files } = await collect(
    answer(ask("transcription", { file: "asset:a.wav", response_format: form }, [file]), context),
  );
  expect(files).toMatchObject([{ name: `transcript.${form}`, mime }]);
  expect(files[0]!.bytes!.toString()).toBe(text);
});

it("word times are requested in the verbose format, and only from Whisper", async () => {
  const { simulator, context } = await buildAttempt({ outbound: { onePost: false } });
  const file = buildFile("a.wav", "audio/wav", "x");
  const hear = async (form: string) => {
    const input = {
      file: "asset:a.wav",
      response_format: form,
      timestamp_granularities: ["word", "segment"],
    };
    expect((await collect(answer(ask("transcription", input, [file]), context))).error).toBeNull();
    return simulator.posts.at(-1)!.body as Record<string, unknown>;
  };
  expect("timestamp_granularities[]" in (await hear("verbose_json"))).toBe(true);
  expect("timestamp_granularities[]" in (await hear("srt"))).toBe(false);
  const has = (id: string): boolean =>
    "timestamp_granularities" in (transcriptionForm(id).properties as object);
  expect([has("whisper-large-v3"), has("gpt-4o-transcribe")]).toEqual([true, false]);
});

it("a transcript by speaker is a file beside its text, and the recording is cut into chunks", async () => {
  const { simulator, context } = await buildAttempt();
  const file = buildFile("a.wav", "audio/wav", "x");
  const id = "gpt-4o-transcribe-diarize";
  const input = { file: "asset:a.wav", response_format: "diarized_json" };
  const request = ask("transcription", input, [file]);
  const { text, files, error } = await collect(
    answer({ ...request, model: { ...request.model, id } }, context),
  );
  expect(error).toBeNull();
  expect(simulator.posts[0]!.body).toMatchObject({
    model: id,
    response_format: "diarized_json",
    chunking_strategy: "auto",
  });
  expect(files).toMatchObject([{ name: "transcript.json", mime: "application/json" }]);
  expect(JSON.parse(files[0]!.bytes!.toString())).toMatchObject({
    text,
    segments: [{ speaker: "A", text }],
  });
  const fields = (model: string) => transcriptionForm(model).properties as Record<string, object>;
  expect(fields(id).response_format).toMatchObject({ enum: ["json", "diarized_json"] });
  expect(fields(id)).not.toHaveProperty("prompt");
});

it("an embedding is saved as a JSON file with its model and dimensions", async () => {
  const { context } = await buildAttempt();
  const { files, finish } = await collect(
    answer(ask("embedding", { input: "word", dimensions: 4 }), context),
  );
  expect(files).toMatchObject([{ name: "embedding.json", mime: "application/json" }]);
  const kept = JSON.parse(files[0]!.bytes!.toString());
  expect(kept).toMatchObject({ model: "sim-chat", dimensions: 4 });
  expect(kept.embedding).toHaveLength(4);
  expect(finish).toMatchObject({ usage: { inputTokens: 3 } });
});

const inputs: [Task, JsonObject][] = [
  ["image", { prompt: "x" }],
  ["speech", { input: "x", voice: "nova" }],
  ["transcription", { file: "asset:a.wav" }],
  ["embedding", { input: "x" }],
];

it.each(inputs)(
  "%s: a page, broken or foreign JSON and a lost answer are unknown; nothing is sent twice",
  async (task, input) => {
    const { simulator, context } = await buildAttempt({ outbound: { onePost: false } });
    const file = buildFile("a.wav", "audio/wav", "x");
    const meet = async (fault: NonNullable<Parameters<typeof simulator.script>[0]["fault"]>) => {
      simulator.script({ fault });
      return (await collect(answer(ask(task, input, [file]), context))).error;
    };
    expect(await meet({ kind: "html" })).toMatchObject({
      code: "provider_protocol",
      accepted: "unknown",
    });
    expect(await meet({ kind: "broken-json" })).toMatchObject({
      code: "provider_protocol",
      accepted: "unknown",
    });
    expect(await meet({ kind: "status", status: 200, body: { ok: true } })).toMatchObject({
      code: "provider_protocol",
      accepted: "unknown",
    });
    expect(
      await meet({
        kind: "status",
        status: 200,
        body: { error: { message: "no", code: "content_policy_violation" } },
      }),
    ).toMatchObject({
      code: "provider_rejected",
      accepted: "yes",
    });
    expect(await meet({ kind: "reset", at: "request" })).toMatchObject({
      code: "outcome_unknown",
      accepted: "unknown",
    });
    expect(
      await meet({ kind: "status", status: 429, headers: { "retry-after-ms": "50" } }),
    ).toMatchObject({
      code: "provider_rate_limited",
      accepted: "no",
      detail: { retryAfterMs: 50 },
    });
    expect(simulator.posts).toHaveLength(6);
  },
);

it("a file missing from the run is refused before anything is sent", async () => {
  const { simulator, context } = await buildAttempt();
  const { error } = await collect(answer(ask("transcription", { file: "asset:none" }), context));
  expect(error).toMatchObject({
    code: "provider_invalid_input",
    accepted: "no",
    detail: { field: "file" },
  });
  expect(simulator.posts).toEqual([]);
});

it("a picture missing from an answer is named, and the others are saved", async () => {
  const { simulator, context, warnings } = await buildAttempt();
  const body = {
    data: [{ b64_json: "cG5n" }, { revised_prompt: "a fox" }, { url: "https://files.test/c.png" }],
  };
  simulator.script({ fault: { kind: "status", status: 200, body } });
  const { files, finish, error } = await collect(
    answer(ask("image", { prompt: "a fox", n: 3 }), context),
  );
  expect(error).toBeNull();
  expect(files.map(({ name }) => name)).toEqual(["picture-1", "picture-3"]);
  expect(warnings).toEqual([
    { type: "note", feature: "outputs.1", message: "Picture 2 of 3 is missing from the answer." },
  ]);
  expect(finish).toMatchObject({ reason: "stop" });
});
