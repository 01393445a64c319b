import type { JsonSchema } from "#contract/json.ts";
import type { Modality, Task } from "#contract/tasks.ts";
import type { ModelCapabilities, ModelFacts, ModelPrice } from "../../adapter.ts";
import {
  drawnForm,
  embeddingForm,
  geminiForm,
  imagenForm,
  speechForm,
  videoForm,
} from "./forms.ts";
import { asOf, type SnapshotModel, searchesByAnswer } from "./snapshot.ts";

/** The known facts of a model, from the list or from a snapshot. */
export type ListedModel = {
  id: string;
  name?: string | undefined;
  description?: string | undefined;
  task: Task;
  /** Makes pictures with `predict` and not within an answer. */
  isImagen?: boolean;
  /** A video model that accepts a seed. */
  takesSeed?: boolean;
  reasons?: boolean | undefined;
  contextTokens?: number | undefined;
  outputTokens?: number | undefined;
};

type Medium = { form: JsonSchema; takes: Modality[]; gives: Modality };
const media: Partial<Record<Task, Medium>> = {
  image: { form: drawnForm, takes: ["text", "image"], gives: "image" },
  video: { form: videoForm(false), takes: ["text", "image"], gives: "video" },
  speech: { form: speechForm, takes: ["text"], gives: "audio" },
  embedding: { form: embeddingForm, takes: ["text"], gives: "file" },
};
const imagen: Medium = { form: imagenForm, takes: ["text"], gives: "image" };
const seeded: Medium = { form: videoForm(true), takes: ["text", "image"], gives: "video" };

/**
 * Programs cost only their tokens (https://ai.google.dev/gemini-api/docs/code-execution,
 * "Billing").
 */
const codePrice: ModelPrice = {
  unit: "code session",
  micros: "0",
  source: "Google's model pages",
  at: asOf,
};

/**
 * Google Search is priced per query, and before Gemini 3 per answer that searched
 * (https://ai.google.dev/gemini-api/docs/pricing, "Grounding with Google Search"). The free daily
 * or monthly allowance belongs to the account, and no response reports it.
 */
const searchPrice = (id: string): ModelPrice => ({
  unit: "web search",
  micros: searchesByAnswer(id) ? "35000" : "14000",
  source: "Google's model pages",
  at: asOf,
});

/** Converts one of Google's own models for the catalog. */
export function toFacts(stated: ListedModel, known: SnapshotModel | undefined): ModelFacts {
  const { id, name, description, task } = stated;
  const contextTokens = stated.contextTokens ?? known?.contextTokens;
  const outputTokens = stated.outputTokens ?? known?.outputTokens;
  const common = {
    id,
    name: name || id,
    ...(description && { description }),
    tasks: [task],
    limits: {
      ...(contextTokens && { contextTokens }),
      ...(outputTokens && task === "chat" && { outputTokens }),
    },
    price: null,
    status: "active" as const,
    ...(known && { factsSource: { name: "Google's model pages", at: asOf } }),
  };
  const kind = stated.isImagen ? imagen : stated.takesSeed ? seeded : media[task];
  if (kind) {
    const countField = stated.isImagen && { countField: { name: "sampleCount", most: 4 } };
    return {
      ...common,
      inputModalities: kind.takes,
      outputModalities: [kind.gives],
      inputSchema: kind.form,
      capabilities: { ...countField },
    };
  }
  const capabilities = capabilitiesOf(known, stated.reasons);
  return {
    ...common,
    inputModalities: [
      "text",
      ...(capabilities.imageInput ? (["image"] as const) : []),
      ...(capabilities.pdfInput ? (["file", "audio", "video"] as const) : []),
    ],
    outputModalities: ["text"],
    capabilities,
    ...(known?.isPlain !== true && { toolPrices: [codePrice, searchPrice(id)] }),
    inputSchema: geminiForm(capabilities, known, outputTokens),
  };
}

function capabilitiesOf(
  known: SnapshotModel | undefined,
  reasons: boolean | undefined,
): ModelCapabilities {
  const isWhole = known?.takes === undefined;
  return {
    imageInput: known?.takes !== "text",
    pdfInput: isWhole,
    // https://ai.google.dev/gemini-api/docs/image-understanding#supported-formats
    heicInput: isWhole,
    audioInput: isWhole,
    videoInput: isWhole,
    tools: known?.isPlain !== true,
    reasoning: reasons === true,
    seed: true,
  };
}
