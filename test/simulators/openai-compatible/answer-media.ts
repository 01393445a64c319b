import type { ServerResponse } from "node:http";
import type { Behaviour, Gates, Post } from "../kit/behaviour.ts";
import { json } from "../kit/json.ts";
import { reset } from "../kit/server.ts";
import { makeEmbedding, makePng, makeWav } from "./media.ts";

type MediaRequest = {
  path: string;
  body: Record<string, unknown>;
  behaviour: Behaviour;
  post: Post;
  response: ServerResponse;
  gates: Gates;
  /** Gives a file an address. */
  keep(content: Buffer): string;
};

/** Answers every endpoint except chat, with small real files. */
export function answerMedia(request: MediaRequest): void {
  if (request.path === "/audio/speech") void speak(request);
  else if (request.path === "/audio/transcriptions") transcribe(request);
  else if (request.path === "/embeddings") embed(request);
  else if (request.body.stream === true || request.body.stream === "true") drawAsEvents(request);
  else draw(request);
}

/** A gate after this many bytes. */
async function speak({ body, behaviour, post, response, gates }: MediaRequest): Promise<void> {
  const wav = makeWav(String(body.input));
  response.writeHead(200, { "content-type": "audio/wav" });
  const at = behaviour.gate?.at;
  if (behaviour.gate && typeof at === "number") {
    response.write(wav.subarray(0, at));
    await gates.wait(behaviour.gate.name);
    if (behaviour.fault?.kind === "reset") return reset(response, post);
    response.end(wav.subarray(at));
  } else if (behaviour.fault?.kind === "reset")
    response.write(wav.subarray(0, 100), () => reset(response, post));
  else response.end(wav);
}

function transcribe({ body, behaviour, post, response }: MediaRequest) {
  const text =
    typeof behaviour.text === "string"
      ? behaviour.text
      : `A transcript of ${(body.file as { name: string }).name}.`;
  const subtitles: Record<string, string> = {
    srt: `1\n00:00:00,000 --> 00:00:01,000\n${text}\n`,
    vtt: `WEBVTT\n\n00:00.000 --> 00:01.000\n${text}\n`,
  };
  if (body.stream === "true")
    return behaviour.fault?.kind === "reset"
      ? void response
          .writeHead(200, { "content-type": "text/event-stream; charset=utf-8" })
          .write(":\n\n", () => reset(response, post))
      : transcribeAsEvents(response, text);
  const asSubtitles = subtitles[String(body.response_format)];
  if (asSubtitles) response.setHeader("content-type", "text/plain; charset=utf-8").end(asSubtitles);
  else if (body.response_format === "diarized_json") {
    const segment = { type: "transcript.text.segment", id: "seg_0", start: 0, end: 2, text };
    const segments = [{ ...segment, speaker: "A" }];
    const usage = { type: "tokens", input_tokens: 14, output_tokens: 5, total_tokens: 19 };
    json(response, { task: "transcribe", duration: 2, text, segments, usage });
  } else json(response, { text, usage: behaviour.usage ?? { type: "duration", seconds: 2 } });
}

/** https://platform.openai.com/docs/api-reference/audio/transcript-text-delta-event */
function transcribeAsEvents(response: ServerResponse, text: string): void {
  const event = (fields: object) => `data: ${JSON.stringify(fields)}\n\n`;
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  for (const delta of text.split(/(?= )/))
    response.write(event({ type: "transcript.text.delta", delta }));
  const usage = { type: "tokens", input_tokens: 14, output_tokens: 5, total_tokens: 19 };
  response.write(event({ type: "transcript.text.done", text, usage }));
  response.end("data: [DONE]\n\n");
}

function embed({ body, behaviour, response }: MediaRequest) {
  const isMany = Array.isArray(body.input) && typeof body.input[0] !== "number";
  const inputs = (isMany ? (body.input as unknown[]) : [body.input]).map(String);
  const dimensions = Number(body.dimensions ?? 8);
  const written = (vector: number[]) =>
    body.encoding_format === "base64"
      ? Buffer.from(new Float32Array(vector).buffer).toString("base64")
      : vector;
  const data = inputs.map((text, index) => ({
    object: "embedding",
    index,
    embedding: written(makeEmbedding(text, dimensions)),
  }));
  json(response, {
    object: "list",
    model: body.model,
    data,
    usage: behaviour.usage ?? { prompt_tokens: 3, total_tokens: 3 },
  });
}

function draw({ body, behaviour, response, keep }: MediaRequest) {
  const [width, height] = (/^(\d+)x(\d+)$/.exec(String(body.size)) ?? ["", "64", "64"])
    .slice(1)
    .map(Number) as [number, number];
  const data = Array.from({ length: Number(body.n ?? 1) }, (_, index) => {
    const png = makePng(String(body.prompt), index, width, height);
    if (body.response_format !== "url" && !behaviour.picturesByUrl)
      return { b64_json: png.toString("base64") };
    return { url: keep(png), revised_prompt: `${String(body.prompt)}, revised` };
  });
  json(response, {
    created: 1_700_000_000,
    data,
    usage: behaviour.usage ?? { input_tokens: 5, output_tokens: 100, total_tokens: 105 },
  });
}

/** Previews, then the picture (https://platform.openai.com/docs/api-reference/images-streaming). */
function drawAsEvents({ path, body, behaviour, post, response }: MediaRequest): void {
  const word = path === "/images/edits" ? "image_edit" : "image_generation";
  const { fault } = behaviour;
  const picture = (index: number) => makePng(String(body.prompt), index, 64, 64).toString("base64");
  const event = (type: string, fields: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, output_format: "png", size: "1024x1024", ...fields })}\n\n`;
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  const previews = Number(body.partial_images ?? 0);
  for (let index = 0; index < previews; index++) {
    response.write(
      event(`${word}.partial_image`, { partial_image_index: index, b64_json: picture(index + 1) }),
    );
  }
  if (fault?.kind === "reset") return void response.write(":\n\n", () => reset(response, post));
  if (fault?.kind === "error-event") response.end(event("error", { error: fault.error }));
  else if (fault?.kind === "no-finish") response.end();
  else
    response.end(
      event(`${word}.completed`, {
        b64_json: picture(0),
        usage: behaviour.usage ?? {
          input_tokens: 5,
          output_tokens: 100,
          total_tokens: 105,
          input_tokens_details: { text_tokens: 5, image_tokens: 0 },
        },
      }),
    );
}
