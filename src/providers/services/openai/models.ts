import type { Modality } from "#contract/tasks.ts";
import type {
  CallContext,
  ModelCapabilities,
  ModelFacts,
  ModelPrice,
  OpenConnection,
} from "../../adapter.ts";
import { listModels as listSharedModels, readStatedModels } from "../openai-compatible/models.ts";
import { inputSchema, transcriptionForm } from "../openai-compatible/schemas.ts";
import { pictureForm, responsesForm, videoForm } from "./forms.ts";
import { asOf, isLeftOut, knownModel, type SnapshotModel, source, toolPrices } from "./snapshot.ts";

type OfConnection = { connection: Pick<OpenConnection, "options"> };

/** Whether a chat uses chat completions instead of Responses. */
export const goesByCompletions = ({ connection }: OfConnection, modelId: string): boolean =>
  connection.options.chatApi === "chat completions" || knownModel(modelId)?.chatOnly === true;

/**
 * GET /models returns only ids: other facts come from the snapshot, and an admin's statements
 * override it.
 */
export async function* listModels(context: CallContext): AsyncGenerator<ModelFacts[]> {
  const stated = new Set(readStatedModels(context.connection.options.models).map(({ id }) => id));
  for await (const page of listSharedModels(context, {
    models: { datesReleases: true, knows: (id) => knownModel(id) !== undefined },
  })) {
    const offered = page.filter(({ id }) => stated.has(id) || !isLeftOut(id));
    yield offered.map((facts) =>
      toOpenAiFacts(facts, stated.has(facts.id) ? undefined : knownModel(facts.id), context),
    );
  }
}

/**
 * @param facts those from the list alone: a chat model, unless an admin stated another task
 * @param modelId the model's name at OpenAI, if it has a different one here
 */
export function toOpenAiFacts(
  facts: ModelFacts,
  known: SnapshotModel | undefined,
  context: OfConnection,
  modelId = facts.id,
): ModelFacts {
  const [task = "chat"] = known ? [known.task] : facts.tasks;
  const capabilities = { ...capabilitiesOf(known), ...facts.capabilities };
  const prices = pricesOf(known);
  const common = {
    ...facts,
    ...(known && { factsSource: { name: source, at: asOf } }),
    ...(prices.length > 0 && { price: prices.length === 1 ? prices[0]! : null, prices }),
  };
  if (task === "video") {
    return {
      ...common,
      tasks: ["video"],
      inputModalities: ["text", "image"],
      outputModalities: ["video"],
      capabilities,
      inputSchema: videoForm,
    };
  }
  if (task === "image") {
    const countField = { name: "n", most: 10 };
    const form = known && !known.previews ? inputSchema("image", {}) : pictureForm;
    return {
      ...common,
      tasks: ["image"],
      ...io.image,
      capabilities: { ...capabilities, countField },
      inputSchema: form,
    };
  }
  if (task !== "chat")
    return {
      ...common,
      tasks: [task],
      ...(known && ioOf(task)),
      capabilities,
      inputSchema:
        task === "transcription" ? transcriptionForm(modelId) : inputSchema(task as "speech", {}),
    };
  const completions = goesByCompletions(context, modelId);
  return {
    ...common,
    inputModalities: [
      "text",
      ...(capabilities.imageInput ? (["image"] as const) : []),
      ...(capabilities.pdfInput ? (["file"] as const) : []),
    ],
    capabilities: { tools: true, ...capabilities },
    limits: {
      ...facts.limits,
      ...(known?.contextTokens && { contextTokens: known.contextTokens }),
      ...(known?.outputTokens && { outputTokens: known.outputTokens }),
    },
    ...(!completions &&
      (known?.fileSearch || known?.codeInterpreter || known?.imageTool) && {
        toolPrices: Object.entries(toolPrices).map(([unit, micros]) => ({
          unit,
          micros,
          source,
          at: asOf,
        })),
      }),
    inputSchema: completions
      ? inputSchema("chat", capabilities, known?.outputTokens)
      : responsesForm(capabilities, known),
  };
}

const io: Readonly<Record<string, { inputModalities: Modality[]; outputModalities: Modality[] }>> =
  {
    image: { inputModalities: ["text", "image"], outputModalities: ["image"] },
    speech: { inputModalities: ["text"], outputModalities: ["audio"] },
    transcription: { inputModalities: ["audio"], outputModalities: ["text"] },
    embedding: { inputModalities: ["text"], outputModalities: ["file"] },
  };
const ioOf = (task: string) => io[task];

function capabilitiesOf(known: SnapshotModel | undefined): ModelCapabilities {
  if (known?.task === "image") return { ...(known.previews && { preview: true }) };
  if (known?.task !== "chat") return {};
  const { vision = false, reasoning = false } = known;
  return { imageInput: vision, pdfInput: vision, reasoning };
}

const pricesOf = (known: SnapshotModel | undefined): ModelPrice[] =>
  Object.entries(known?.prices ?? {}).map(([unit, micros]) => ({ unit, micros, source, at: asOf }));
