import { sentences } from "#contract/sentences/index.ts";
import type { CallContext, ModelFacts } from "../../adapter.ts";
import { type Row, rowsOf } from "../../wire/model-list.ts";
import { countOf, recordsOf, textOf } from "../../wire/values.ts";
import { api } from "./access.ts";
import { musicForm, soundForm, speechForm, transcriptionForm, type Voice } from "./forms.ts";

const voiceRows = 100;
/** A form with more voices would be useless. */
const maxVoicePages = 5;

/**
 * Checks the address, and that the key may read models and voices.
 * @throws ProviderError
 */
export async function checkConnection(context: CallContext): Promise<{ message: string }> {
  const [rows, voices] = [await listSpeaking(context), await listVoices(context)];
  return {
    message: sentences.connections.modelsAndVoices({ models: rows.length, voices: voices.length }),
  };
}

/**
 * GET /v1/models lists the speech models. No list contains the API's other models.
 * @throws ProviderError
 */
export async function* listModels(context: CallContext): AsyncGenerator<ModelFacts[]> {
  const rows = await listSpeaking(context);
  const voices = await listVoices(context);
  yield rows.map((row) => toSpeaking(row, voices));
  yield unlisted.map(toUnlisted);
}

const listSpeaking = async (context: CallContext): Promise<Row[]> =>
  rowsOf(await api.callJson(context, "/v1/models")).filter(
    (row) => textOf(row.model_id) && row.can_do_text_to_speech === true,
  );

/** GET /v2/voices, page by page (https://elevenlabs.io/docs/api-reference/voices/search). */
async function listVoices(context: CallContext): Promise<Voice[]> {
  const voices = new Map<string, Voice>();
  let token = "";
  for (let page = 0; page < maxVoicePages; page++) {
    const body = await api.callObject(
      context,
      `/v2/voices?page_size=${voiceRows}${token && `&next_page_token=${encodeURIComponent(token)}`}`,
    );
    const rows = recordsOf(body.voices);
    for (const { voice_id: id, name } of rows) {
      if (typeof id === "string" && id !== "") voices.set(id, { id, name: textOf(name) ?? id });
    }
    const next = body.has_more === true ? textOf(body.next_page_token) : undefined;
    if (!next) break;
    token = next;
  }
  return [...voices.values()];
}

function toSpeaking(row: Row, voices: readonly Voice[]): ModelFacts {
  const id = String(row.model_id);
  const languages = recordsOf(row.languages).flatMap(({ language_id, name }) =>
    typeof language_id === "string"
      ? [{ id: language_id, name: typeof name === "string" ? name : language_id }]
      : [],
  );
  return {
    ...shared,
    id,
    name: textOf(row.name) ?? id,
    ...(typeof row.description === "string" && row.description && { description: row.description }),
    tasks: ["speech"],
    inputModalities: ["text"],
    outputModalities: ["audio"],
    inputSchema: speechForm(voices, languages, countOf(row.maximum_text_length_per_request)),
    capabilities: { seed: true },
  };
}

const shared = { limits: {}, price: null, status: "active" } as const satisfies Partial<ModelFacts>;

type UnlistedModel = Pick<ModelFacts, "id" | "name" | "tasks" | "inputSchema">;
/**
 * Models missing from GET /v1/models, from https://elevenlabs.io/docs/overview/models as of
 * 2026-11.
 */
const unlisted: readonly UnlistedModel[] = [
  {
    id: "eleven_text_to_sound_v2",
    name: "Sound effects v2",
    tasks: ["music"],
    inputSchema: soundForm,
  },
  { id: "music_v1", name: "Eleven Music", tasks: ["music"], inputSchema: musicForm },
  { id: "scribe_v2", name: "Scribe v2", tasks: ["transcription"], inputSchema: transcriptionForm },
  { id: "scribe_v1", name: "Scribe v1", tasks: ["transcription"], inputSchema: transcriptionForm },
];

const toUnlisted = (model: UnlistedModel): ModelFacts => {
  const hears = model.tasks.includes("transcription");
  return {
    ...shared,
    ...model,
    inputModalities: [hears ? "audio" : "text"],
    outputModalities: [hears ? "text" : "audio"],
    capabilities: { seed: hears },
  };
};

/** Sound effects and music share a task. The model decides the path. */
export const isSoundEffect = (modelId: string): boolean => modelId.includes("text_to_sound");
