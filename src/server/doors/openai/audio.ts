import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import type { SpeechBody } from "#contract/schemas/doors/openai.ts";
import { sentences } from "#contract/sentences/index.ts";
import { recordingNames, textNames } from "#domain/schemas/voice-fields.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { ServerDeps } from "../../deps.ts";
import type { StreamedEvent } from "../../live/event-stream.ts";
import { saveFormFile, withForm } from "../programs/files.ts";
import {
  type Asking,
  extraFields,
  followToAnswer,
  headersOf,
  usageOf,
} from "../programs/follow.ts";
import type { Form, FormFile } from "../programs/form.ts";
import { answerGone, streamOf } from "../programs/stream.ts";
import { textDeltasIn } from "./chat.ts";
import { onProblem } from "./errors.ts";
import {
  begin,
  type CompletedRuns,
  collect,
  type Fields,
  fieldsOf,
  nameIn,
  passOn,
  readBytes,
  refuseField,
  type StartedRuns,
} from "./make.ts";
import { bodyOf, type Sound, soundOf } from "./sound.ts";

/** POST /v1/audio/speech: responds with the recording itself as it arrives. */
export async function createSpeech(
  deps: ServerDeps,
  asking: Asking,
  body: SpeechBody,
): Promise<Response> {
  const { model: name, input: words, stream_format: format, ...settings } = body;
  const dropped = new Set<string>();
  const begun = await begin(deps, asking, {
    model: name,
    tasks: ["speech"],
    input(model) {
      const fields = fieldsOf(model);
      const textName = nameIn(fields, textNames);
      return textName
        ? { [textName]: words, ...passOn(fields, settings, dropped, ["voice", "response_format"]) }
        : refuseField(fields, "input");
    },
  });
  const headers = headersOf(begun.runs[0]?.id ?? "", [...dropped]);
  const sound = soundOf(deps, asking, begun);
  if (format === "sse") return streamOf(deps, asking, speechEvents(sound), { headers, onProblem });
  const { value, done } = await sound.next();
  if (done) return answerGone;
  return new Response(bodyOf(value.bytes, sound, asking), {
    headers: { "content-type": value.mime, ...headers },
  });
}

/**
 * The bytes of a recording in one event: a multiple of three, so that each piece is complete
 * base64.
 */
const pieceBytes = 48 * 1024;

/** Yields a recording in pieces (OpenAI API reference, "Speech", stream events). */
async function* speechEvents(sound: Sound): AsyncGenerator<StreamedEvent> {
  const delta = (bytes: Buffer): StreamedEvent => ({
    payload: { type: "speech.audio.delta", audio: bytes.toString("base64") },
  });
  let rest = Buffer.alloc(0);
  try {
    for (;;) {
      const { value, done } = await sound.next();
      if (done) {
        if (rest.length > 0) yield delta(rest);
        if (value)
          yield { payload: { type: "speech.audio.done", usage: tokensUsed(value.runs[0]!) } };
        return;
      }
      const received = Buffer.concat([rest, value.bytes]);
      const even = received.length - (received.length % 3);
      for (let at = 0; at < even; at += pieceBytes)
        yield delta(received.subarray(at, Math.min(at + pieceBytes, even)));
      rest = Buffer.from(received.subarray(even));
    }
  } finally {
    await sound.return(undefined);
  }
}

const tokensUsed = (run: OwnedRun) => {
  const used = usageOf(run);
  return {
    input_tokens: used.inputTokens,
    output_tokens: used.outputTokens,
    total_tokens: used.total,
  };
};

const forms = ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"] as const;
type Shape = (typeof forms)[number];

/** POST /v1/audio/transcriptions: a form with `file`. */
export const createTranscription = (deps: ServerDeps, asking: Asking): Promise<Response> =>
  withForm(deps, asking, (form) => transcribe(deps, asking, form));

async function transcribe(
  deps: ServerDeps,
  asking: Asking,
  form: Form["fields"],
): Promise<Response> {
  const first = (wanted: string) => form.find(([name]) => name === wanted)?.[1];
  const file = first("file");
  const model = first("model");
  if (file === undefined || typeof file === "string")
    throw new Problem("invalid_input", {
      field: "file",
      message: sentences.api.recordingMissing,
    });
  if (typeof model !== "string")
    throw new Problem("invalid_input", {
      field: "model",
      message: sentences.api.modelForm,
    });
  const shape = formOf(first("response_format"));
  const isStreamed = first("stream") === "true";
  if (isStreamed && shape !== "json" && shape !== "text")
    throw new Problem("invalid_input", {
      field: "stream",
      message: sentences.api.transcriptStream,
    });
  const settings = settingsOf(form);
  const dropped = new Set<string>();
  const begun = await begin(deps, asking, {
    model,
    tasks: ["transcription"],
    async input(detail): Promise<JsonObject> {
      const fields = fieldsOf(detail);
      const fileName = nameIn(fields, recordingNames);
      if (fileName === undefined) return refuseField(fields, "file");
      if (shape === "diarized_json" && !isOffered(fields, shape))
        throw new Problem("invalid_input", {
          field: "response_format",
          message: sentences.api.notDiarized({ model: detail.name }),
        });
      // Every model returns plain text; other formats only if the model supports them.
      const wanted = shape === "text" || shape === "json" ? {} : { response_format: shape };
      const { chunking_strategy: chunking, ...rest } = settings;
      // It is sent with every request to a model that tells speakers apart.
      const isChunked = chunking === "auto" && fields.isKnown && isOffered(fields, "diarized_json");
      const given = { ...(isChunked ? rest : settings), ...wanted };
      const passed = passOn(fields, given, dropped, ["response_format"]);
      return { [fileName]: `asset:${await saveFormFile(deps, asking, file)}`, ...passed };
    },
  });
  const headers = headersOf(begun.runs[0]?.id ?? "", [...dropped]);
  if (isStreamed)
    return streamOf(deps, asking, transcriptEvents(deps, asking, begun), { headers, onProblem });
  const made = await collect(deps, asking, begun);
  return made ? answerTranscript(deps, asking, made, shape, headers) : answerGone;
}

/**
 * Yields the text as it arrives if the service streams it, otherwise all at once (OpenAI API
 * reference, "Transcriptions", stream events).
 */
async function* transcriptEvents(
  deps: ServerDeps,
  asking: Asking,
  begun: StartedRuns,
): AsyncGenerator<StreamedEvent> {
  let transcript = "";
  const delta = (text: string): StreamedEvent => {
    transcript += text;
    return { payload: { type: "transcript.text.delta", delta: text } };
  };
  for await (const event of followToAnswer(deps, asking, begun.runs[0]!.id))
    for (const { type, text } of textDeltasIn(event)) if (type === "text") yield delta(text);
  const made = await collect(deps, asking, begun);
  const asset = made?.assets.at(-1);
  if (!made || !asset) return;
  const text = (await readBytes(deps, asset)).toString();
  if (text.startsWith(transcript) && text !== transcript)
    yield delta(text.slice(transcript.length));
  const usage = { type: "tokens", ...tokensUsed(made.runs[0]!) };
  yield {
    payload: {
      type: "transcript.text.done",
      text,
      ...(usage.total_tokens > 0 && { usage }),
      bottega: made.runs.map((run) => extraFields(run)),
    },
  };
  yield { raw: "[DONE]" };
}

/** Whether a model's form offers a format; a model without a known form may. */
const isOffered = ({ own, isKnown }: Fields, shape: Shape): boolean =>
  !isKnown ||
  (Array.isArray(own.response_format?.enum) && own.response_format.enum.includes(shape));

function formOf(given: string | FormFile | undefined): Shape {
  const form = forms.find((one) => one === (given ?? "json"));
  if (!form)
    throw new Problem("invalid_input", {
      field: "response_format",
      message: `One of ${forms.join(", ")}.`,
    });
  return form;
}

function settingsOf(form: Form["fields"]): Record<string, unknown> {
  // A map, because a field may have any name: "constructor[]".
  const settings = new Map<string, unknown>();
  for (const [name, value] of form) {
    if (["file", "model", "response_format", "stream"].includes(name)) continue;
    if (name.endsWith("[]")) {
      const list = name.slice(0, -2);
      const before = settings.get(list);
      settings.set(list, [...(Array.isArray(before) ? before : []), value]);
    } else settings.set(name, name === "temperature" ? Number(value) : value);
  }
  return Object.fromEntries(settings);
}

async function answerTranscript(
  deps: ServerDeps,
  { c }: Asking,
  { assets, runs }: CompletedRuns,
  form: Shape,
  headers: Record<string, string>,
): Promise<Response> {
  // The plain text is the last file of a transcription; a requested format comes before it.
  const asset = form === "text" || form === "json" ? assets.at(-1) : assets[0];
  const text = asset ? (await readBytes(deps, asset)).toString() : "";
  if (form === "verbose_json" || form === "diarized_json")
    return c.body(text, 200, { ...headers, "content-type": "application/json" });
  if (form !== "json")
    return c.body(text, 200, { ...headers, "content-type": "text/plain; charset=utf-8" });
  const usage = { type: "tokens", ...tokensUsed(runs[0]!) };
  return c.json({ text, ...(usage.total_tokens > 0 && { usage }) }, 200, headers);
}
