import { createHash } from "node:crypto";
import { toFile } from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset } from "#contract/entities.ts";
import { onSqlite } from "../../support/databases/databases.ts";
import { type Door, openDoor, openDoorToOpenAi } from "../../support/studio/openai-door.ts";
import { buildWav } from "../../support/wav.ts";

const wav = buildWav({
  samples: Buffer.alloc(3_200),
  samplesPerSecond: 16_000,
  channels: 1,
  bits: 16,
});
onSqlite((create) => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor(await create());
  });
  afterAll(() => door.studio.close());
  const assetsOf = async (runId: string): Promise<Asset[]> => door.studio.assetsOf(runId);

  it("OpenAI's transcript by speaker reaches the program as it is", async () => {
    const id = "gpt-4o-transcribe-diarize";
    const { own, simulator } = await openDoorToOpenAi(await create(), [{ id }]);
    const { data: heard, response } = await own.client.audio.transcriptions
      .create({
        model: `pictures/${id}`,
        file: await toFile(wav, "a.wav"),
        response_format: "diarized_json",
        chunking_strategy: "auto",
      })
      .withResponse();
    const text = "A transcript of a.wav.";
    expect(response.headers.get("x-bottega-dropped")).toBeNull();
    expect(heard).toMatchObject({ duration: 2, text, segments: [{ speaker: "A", text }] });
    expect(simulator.posts.at(-1)!.body).toMatchObject({ chunking_strategy: "auto" });
  });

  it("text is read aloud, and the recording is saved", async () => {
    const answer = await door.client.audio.speech.create({
      model: door.names.speech,
      input: "Good morning.",
      voice: "alloy",
    });
    expect(answer.headers.get("content-type")).toMatch(/^audio\//);
    expect(
      Buffer.from(await answer.arrayBuffer())
        .subarray(0, 4)
        .toString(),
    ).toBe("RIFF");
    expect(await assetsOf(answer.headers.get("x-request-id")!)).toMatchObject([{ kind: "audio" }]);
  });

  it("a recording becomes text, plain, as JSON and as subtitles", async () => {
    const speech = await door.client.audio.speech.create({
      model: door.names.speech,
      input: "Good morning.",
      voice: "alloy",
    });
    const bytes = Buffer.from(await speech.arrayBuffer());
    const file = () => toFile(bytes, "morning.wav", { type: "audio/wav" });
    const given = { model: door.names.transcription };
    expect(
      (
        await door.client.audio.transcriptions.create({
          ...given,
          file: await file(),
          language: "en",
        })
      ).text,
    ).toMatch(/^A transcript of/);
    expect(door.studio.openai.posts.at(-1)!.body).toMatchObject({ language: "en" });
    const plain = await door.client.audio.transcriptions.create({
      ...given,
      file: await file(),
      response_format: "text",
    });
    expect(plain as unknown as string).toMatch(/^A transcript of/);
    const subtitles = await door.client.audio.transcriptions.create({
      ...given,
      file: await file(),
      response_format: "srt",
    });
    expect(subtitles as unknown as string).toMatch(/^1\n00:00:00,000 -->/);
  });

  it.each([
    ["audio", (part: string) => Buffer.from(part, "latin1")],
    [
      "sse",
      (part: string) =>
        Buffer.concat(
          part
            .split("\n\n")
            .filter((line) => line.startsWith("data: "))
            .map((line) => Buffer.from(JSON.parse(line.slice(6)).audio ?? "", "base64")),
        ),
    ],
  ])(
    "a recording streams as the provider sends it (%s), and is saved whole",
    async (format, toSound) => {
      const speak = (gate: string, isTorn = false) => {
        door.studio.openai.script({
          gate: { name: gate, at: 99 },
          ...(isTorn && { fault: { kind: "reset", at: 99 } }),
        });
        return door.post("/audio/speech", {
          model: door.names.speech,
          input: `Good ${gate}.`,
          voice: "alloy",
          stream_format: format,
        });
      };
      const spoken = await speak(`rest ${format}`);
      const reader = spoken.body!.getReader();
      let text = "";
      const read = async (): Promise<boolean> => {
        const { value, done } = await reader.read();
        text += Buffer.from(value ?? []).toString("latin1");
        return !done;
      };
      while (toSound(text).length < 99) await read();
      const runId = spoken.headers.get("x-request-id")!;
      expect((await door.runOf(runId)).state).toBe("submitting");
      door.studio.openai.open(`rest ${format}`);
      while (await read());
      const [asset] = await assetsOf(runId);
      const whole = toSound(text);
      expect(whole.subarray(0, 4).toString()).toBe("RIFF");
      expect(createHash("sha256").update(whole).digest("hex")).toBe(asset!.sha256);
      const torn = await speak(`torn ${format}`, true);
      door.studio.openai.open(`torn ${format}`);
      const came = await torn.text().catch((error: Error) => error);
      if (format === "sse") expect(came).toMatch(/"error":/);
      else expect(came).toBeInstanceOf(Error);
    },
  );

  it("a recording whose reader disconnects is saved whole", async () => {
    door.studio.openai.script({ gate: { name: "left", at: 99 } });
    const spoken = await door.post("/audio/speech", {
      model: door.names.speech,
      input: "Good bye.",
      voice: "alloy",
    });
    const reader = spoken.body!.getReader();
    await reader.read();
    await reader.cancel();
    door.studio.openai.open("left");
    const { id } = await door.studio.ended(spoken.headers.get("x-request-id")!);
    expect(await door.runOf(id)).toMatchObject({ state: "succeeded" });
    expect(await assetsOf(id)).toMatchObject([{ kind: "audio" }]);
  });

  it("a recording and a transcript stream as the official client's events", async () => {
    const spoken = await door.post("/audio/speech", {
      model: door.names.speech,
      input: "Good morning.",
      voice: "alloy",
      stream_format: "sse",
    });
    expect(spoken.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const events = (await spoken.text())
      .split("\n\n")
      .flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : [])) as {
      type: string;
      audio?: string;
    }[];
    expect(events.at(-1)!.type).toBe("speech.audio.done");
    const bytes = Buffer.concat(events.map(({ audio = "" }) => Buffer.from(audio, "base64")));
    expect(bytes.subarray(0, 4).toString()).toBe("RIFF");
    const stream = await door.client.audio.transcriptions.create({
      model: door.names.transcription,
      file: await toFile(bytes, "morning.wav", { type: "audio/wav" }),
      stream: true,
    });
    let said = "";
    let text = "";
    for await (const event of stream) {
      if (event.type === "transcript.text.delta") said += event.delta;
      if (event.type === "transcript.text.done") text = event.text;
    }
    expect(text).toMatch(/^A transcript of/);
    expect(said).toBe(text);
  });
});
